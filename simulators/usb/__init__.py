"""The hole-card reader as a USB device: its model, and adapters that put it behind a real host."""
