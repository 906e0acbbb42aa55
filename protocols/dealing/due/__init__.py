"""The acts that are right now, one module a family; the dealer's display and `expected` follow from it."""
