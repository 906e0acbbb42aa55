"""Device protocols, sans-I/O: bytes in, reports out; whatever is no report is counted."""
