"""Which bounds of the paper hold for a run."""
