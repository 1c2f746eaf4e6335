"""Linear programs: rows and bounds, the HiGHS model that is kept, vertices from a basis, and bounds from any row prices."""
