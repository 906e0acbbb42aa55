"""A dealer of blackjack by any procedure, written from the regulations and from nothing of the check."""
