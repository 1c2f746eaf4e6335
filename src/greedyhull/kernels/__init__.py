"""Compiled inner loops. Each has a plain reference beside it; tests demand that the two agree."""
