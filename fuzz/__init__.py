"""What must hold of all that comes in from outside, whatever the bytes are; and a search for bytes that break it.

`targets.py` says what must hold, one check for each decoder. The tests run the checks on random bytes and on the inputs
in `corpus/`; `python -m fuzz` searches for others, led by the code that they reach."""
