"""What crosses MQTT: topics and messages."""
