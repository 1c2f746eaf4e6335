"""Compiled inner loops and small numerical solvers, which know arrays only.

Each loop has a plain reference beside it; tests demand that the two agree.
"""
