"""Many problems over one set: together where they share their data, one by one where they do not."""
