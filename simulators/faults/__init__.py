"""What can go wrong with devices and their lines, named in text and done at the adapters of the simulated devices."""
