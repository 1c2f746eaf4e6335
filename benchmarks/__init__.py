"""Ours and rivals side by side: ``python -m benchmarks``. One thread for everybody, decided before numpy is loaded."""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
