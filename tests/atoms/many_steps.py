"""Plain Frank-Wolfe steps over a nuclear ball in flat memory: python tests/atoms/many_steps.py --steps 5000.

Nothing slides: only `compressed` keeps the atoms few.
"""

import argparse
import resource

import numpy as np

import greedyhull as gh


class Rigid(gh.NuclearBall):
    """A nuclear ball whose atoms do not slide."""

    def slide(self, f, w):
        return None


def atoms_and_memory(steps, shape=(12, 10)):
    """How many atoms the point had after each step, and the largest memory of the process, in KiB."""
    rng = np.random.default_rng(6)
    at = rng.permutation(shape[0] * shape[1])[: int(0.7 * shape[0] * shape[1])]
    i, j = np.divmod(at, shape[1])
    atoms, memory = [], []

    def watch(event):
        atoms.append(len(event.point))
        memory.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

    gh.minimize(gh.completion(i, j, rng.standard_normal(len(i)), shape), Rigid(shape, 20.0), gh.FrankWolfe(),
                stop=gh.Iterations(steps), watch=watch)
    return atoms, memory


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5000)
    given = parser.parse_args()
    for shape in ((12, 10), (200, 160)):
        atoms, memory = atoms_and_memory(given.steps, shape)
        early = memory[len(memory) // 10]
        print(f"{shape}: {len(atoms) - 1} steps, at most {max(atoms)} atoms, {early / 1024:.1f} MiB after a tenth, "
              f"{memory[-1] / 1024:.1f} at the end")
