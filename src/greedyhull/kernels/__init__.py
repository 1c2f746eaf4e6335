"""Inner loops and small numerical solvers, which know arrays only.

Each loop of the compiled core has a plain NumPy reference beside it; tests demand that the two agree.
"""
