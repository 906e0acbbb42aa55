"""Blackjack on the table's bookkeeping: hands, dealer, insurance, reader and method."""
