"""What crosses MQTT as models: the one description of every message, from which the schemas are written."""
