"""Solvers, one algorithm each: generators that yield a certified point, then move it."""
