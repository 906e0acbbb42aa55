"""The device's side of TDL/1, sans-I/O, written from the protocol's text (devices 6, decisions 9)."""
