"""A dealer of North Dakota twenty-one, written from the regulation and from nothing of the check."""
