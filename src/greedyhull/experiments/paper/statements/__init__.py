"""One file for each statement of the paper; each holds an ``EXPERIMENT``."""
