"""Balls, pairs, corners and ranges of sets of points."""
