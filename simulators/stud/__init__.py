"""Mississippi stud: a dealer who deals it by its texts, and wrongly by name."""
