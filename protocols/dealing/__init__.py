"""The dealing procedures and the check of each event against them."""
