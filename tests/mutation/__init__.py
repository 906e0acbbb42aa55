"""Mutation testing of the dealing rules: which small changes of the code no story notices."""
