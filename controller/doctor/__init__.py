"""Why a table does not work: what there is to know, gathered, and what follows from it."""
