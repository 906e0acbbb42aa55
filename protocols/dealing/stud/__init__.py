"""Stud on the table's bookkeeping: the deal, the streets, community cards, what a hand wins."""
