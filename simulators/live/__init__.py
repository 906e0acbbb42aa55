"""A table that is really played: TDL/1 devices on lines, a dealer and a supervisor at the panel."""
