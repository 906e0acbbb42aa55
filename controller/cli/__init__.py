"""The commands of `shoewatch`, one module each."""
