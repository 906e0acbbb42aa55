"""A device's reports become facts for the table: rounds, references, gaps."""
