"""The floor's archive: every record of every table of a site, once, in order, as it was published."""
