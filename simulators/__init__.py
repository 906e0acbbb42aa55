"""The device side of the protocols, and a dealer: written from the protocols, not from the drivers."""
