"""The contract once more, slow and obvious: what the check must say of the last event of a line.

Written from the contract of the table log alone: nothing here imports the check or the simulators, and every answer is
worked out from the first word of a story on, from plain lists. An answer is `!code` a violation, `~code` a warning, `?`
what nobody can tell (it may not be a violation), or the empty word where all is right."""
