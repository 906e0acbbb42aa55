"""`python -m controller`: the command `shoewatch`."""

from controller.cli.main import run

run()
