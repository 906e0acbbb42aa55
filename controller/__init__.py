"""The daemon of one table, and the command line."""
