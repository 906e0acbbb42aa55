"""One module a version, each named by its number."""
