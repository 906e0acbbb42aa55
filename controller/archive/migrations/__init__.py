"""How an archive's database is brought from one version of its schema to the next."""
