"""What people read afterwards: one round as it lay on the table, and the list of all rounds."""
