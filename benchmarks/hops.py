"""How far one has to read: the functions that a call runs through, their files, and the calls from one file into another.

    python -m benchmarks.hops            # figures
    python -m benchmarks.hops --list     # and every function, in the order of its first call
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import greedyhull as gh

ROOT = Path(gh.__file__).parent


class Walk:
    """What `sys.setprofile` sees of the library; compiled code is not seen. ``rounds`` begin where the driver records."""

    def __init__(self) -> None:
        self.files: list[Path] = []  # of the calls that are open
        self.steps: list[tuple[CodeType, bool]] = []  # every call, and whether it led into another file
        self.rounds: list[int] = []

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        path = Path(frame.f_code.co_filename)
        if ROOT not in path.parents or event not in ("call", "return"):
            return
        if event == "return":
            if self.files:
                self.files.pop()
            return
        if frame.f_code.co_name == "_record":
            self.rounds.append(len(self.steps))
        self.steps.append((frame.f_code, bool(self.files) and self.files[-1] != path))
        self.files.append(path)

    def figures(self, first: int = 0, last: int | None = None) -> tuple[int, int, int]:
        """Functions, files and hops between files, of the calls from ``first`` to ``last``."""
        steps = self.steps[first:last]
        return len({code for code, _ in steps}), len({code.co_filename for code, _ in steps}), sum(hop for _, hop in steps)


def walked(work: Callable[[], object]) -> Walk:
    """The way of a call that is made for the second time: what is loaded or compiled once does not count."""
    work()
    walk = Walk()
    sys.setprofile(walk)
    try:
        work()
    finally:
        sys.setprofile(None)
    return walk


def calls() -> dict[str, Callable[..., object]]:
    """Two problems, each a function of the number of rounds and of ``watch``, without which several rounds may be one."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100, 40)), rng.standard_normal(100)
    f, S, noise = gh.least_squares(X, y), gh.L1Ball(40, radius=2.0), gh.StochasticFrankWolfe(look=gh.FullGap(every=1))
    return {
        "least squares, L1Ball, default solver":
            lambda rounds, **watch: gh.minimize(f, S, stop=gh.Iterations(rounds), **watch),
        "the same, StochasticFrankWolfe, a look each step":
            lambda rounds, **watch: gh.minimize(f, S, noise, stop=gh.Iterations(rounds), **watch),
    }


def main(listing: bool) -> None:
    for name, work in calls().items():
        walk, several = walked(partial(work, 1)), walked(partial(work, 3, watch=lambda event: None))
        print(name)
        for what, found in (("a whole call of one round", walk.figures()),
                            ("a round alone, the second of three that are watched", several.figures(*several.rounds[1:3]))):
            print("  {}: {} functions in {} files, {} hops between files".format(what, *found))
        if listing:
            for code in dict.fromkeys(code for code, _ in walk.steps):
                print(f"    {Path(code.co_filename).relative_to(ROOT).as_posix()}: {code.co_qualname}")


if __name__ == "__main__":
    main("--list" in sys.argv)
