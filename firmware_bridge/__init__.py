"""Bytes from devices in, facts for the table out. The only importers of device libraries."""
