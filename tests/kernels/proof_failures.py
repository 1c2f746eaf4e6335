"""How often the random proof of a norm accepts a bound that is false: python tests/kernels/proof_failures.py --runs 10000."""

import argparse

import numpy as np

from greedyhull.kernels.singular import component, grown, steps_to_prove

N, DELTA = 40, 0.2


def spectra():
    """Matrices, as their eigenvalues, whose largest one is a little, more or far above the bound of 1."""
    yield from (np.r_[top, rest] for top in (1.0 + 1e-9, 1.001, 1.1, 3.0)
                for rest in (np.zeros(N - 1), np.linspace(0.0, 0.99, N - 1), np.full(N - 1, 0.98)))


def failures(runs: int, seed: int = 0) -> tuple[int, int]:
    """False bounds that were accepted, and proofs tried."""
    rng, kinds, failed = np.random.default_rng(seed), list(spectra()), 0
    for k in range(runs):
        values, s = kinds[k % len(kinds)], component(N, DELTA)
        mu = float(rng.uniform(0.7, 0.995))
        q, z = steps_to_prove(mu, 1.0, s), rng.standard_normal(N)
        failed += grown(lambda y, values=values: values * y, 1e-15, z, mu, 1.0, s, q).proved
    return failed, runs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    wrong, runs = failures(given.runs, given.seed)
    print(f"{wrong} of {runs} false bounds were accepted, {wrong / runs:.4f}; {DELTA} is promised at most")
    raise SystemExit(wrong > DELTA * runs)
