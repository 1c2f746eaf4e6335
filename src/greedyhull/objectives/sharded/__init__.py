"""Objectives over shards, and who computes them: data that are loaded again whenever they are needed."""
