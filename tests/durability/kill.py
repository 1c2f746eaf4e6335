"""Runs that are killed at random moments, resumed, and compared bit by bit with one that nobody disturbed.

    python tests/durability/kill.py --kills 100

Each run saves its state after every iteration to a folder, in a process of its own that is killed by signal 9: after a random
time, or in the middle of a save, between any two of the calls that write, synchronise, rename and remove. The next process
resumes from the folder. Where one gets to its end, point, certificate and number of iterations must have the bits of the
undisturbed run. It exits with 1 where they do not, or where a process ends otherwise than by the signal.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CASES = ("corrective", "frank_wolfe", "pairwise", "stochastic", "smoothed")
STEPS = 60  # iterations of a run
MOST = 200  # processes for one run, each of which gets further, or is killed before its first save


def solve(case: str, folder: str | None, resume: bool) -> dict[str, object]:
    """Solve a case, saving after every iteration; what its end is, as hexadecimal numbers."""
    import greedyhull as gh

    rng = np.random.default_rng(5)
    X, y = rng.standard_normal((60, 30)), rng.standard_normal(60)
    f, S, solver = {
        "corrective": lambda: (gh.logistic(X, np.sign(y)), gh.L1Ball(30, 40.0), gh.Corrective()),
        "frank_wolfe": lambda: (gh.least_squares(X, y), gh.L2Ball(30, 0.2), gh.FrankWolfe()),
        "pairwise": lambda: (gh.least_squares(X, y), gh.L1Ball(30, 1.0), gh.BlendedPairwise()),
        "stochastic": lambda: (gh.logistic(X, np.sign(y)), gh.L1Ball(30, 1.0), gh.StochasticFrankWolfe.saga()),
        "smoothed": lambda: (gh.absolute(X, y), gh.Simplex(30), gh.Smoothed())}[case]()
    kept = {} if folder is None else {"checkpoint": f"{folder}/", **({"resume": f"{folder}/"} if resume else {})}
    s = gh.minimize(f, S, solver, stop=gh.Iterations(STEPS) | gh.Relative(1e-13), **kept)
    c = s.certificate
    return {"x": s.x.tobytes().hex(), "value": float(c.value).hex(), "gap": float(c.gap).hex(), "lower": float(c.lower).hex(),
            "iterations": s.iterations, "weights": s.point.weights.tobytes().hex() if s.point.keeps_atoms else ""}


def child(case: str, folder: str, resume: bool, deadly: int) -> None:
    """One process: it says when it begins, and prints its end; at the ``deadly``-th call of a save it kills itself."""
    import warnings

    import greedyhull.driver.checkpoint as saved
    import greedyhull.driver.checkpoint as saving
    import greedyhull.driver.run as run

    warnings.simplefilter("ignore")
    run.SAVE_EVERY, saving.SHARE = 0.0, 1e9  # after every iteration, whatever that costs
    if deadly:
        saved.os = Deadly(deadly)
        savez = np.savez

        def half(file, **given):
            """Write the file, and with some luck half of it."""
            savez(file, **given)
            if saved.os.due():
                file.truncate(file.tell() // 2)
                saved.os.die()

        saved.np.savez = half
        for name in ("replace", "unlink"):
            setattr(Path, name, saved.os.wrapped(getattr(Path, name)))
    print("begun", flush=True)
    print(json.dumps(solve(case, folder, resume)), flush=True)


class Deadly:
    """The module os, whose calls are counted; the process dies before or after one of them."""

    def __init__(self, left: int) -> None:
        self.left = left

    def due(self) -> bool:
        self.left -= 1
        return self.left == 0

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def wrapped(self, function):
        def call(*given, **named):
            if self.due():
                self.die()
            answer = function(*given, **named)
            if self.due():
                self.die()
            return answer

        return call

    def fsync(self, place: int) -> None:
        self.wrapped(os.fsync)(place)

    def __getattr__(self, name: str):
        return getattr(os, name)


def killed(case: str, folder: Path, resume: bool, rng: np.random.Generator) -> str | None:
    """Start a process and kill it at a random moment; its last words where it was quicker."""
    within = rng.random() < 0.5
    deadly = int(rng.integers(1, 200)) if within else 0
    command = [sys.executable, __file__, "--child", case, str(folder), str(int(resume)), str(deadly)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "begun\n", process.communicate()[1]
    if not within:
        time.sleep(float(rng.uniform(0.0, 0.25)))
        process.kill()
    told, wrong = process.communicate()
    if process.returncode == -signal.SIGKILL and not told.endswith("\n"):
        return None
    if process.returncode not in (0, -signal.SIGKILL):
        raise SystemExit(f"{case}: the process ended by itself, with code {process.returncode}.\n{wrong}")
    return told


def survives(case: str, rng: np.random.Generator, most: int) -> tuple[int, bool]:
    """How often a run was killed before it got to its end, and whether that is the undisturbed one; at ``most`` so often."""
    want, kills = json.dumps(solve(case, None, False)), 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "run"
        for _ in range(MOST):
            if kills >= most:
                command = [sys.executable, __file__, "--child", case, str(folder), str(int(folder.is_dir())), "0"]
                told = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1] + "\n"
            else:
                told = killed(case, folder, folder.is_dir(), rng)
            if told is not None:
                return kills, told.strip() == want
            kills += 1
    raise SystemExit(f"{case}: {MOST} processes did not bring the run to its end.")


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given.add_argument("--kills", type=int, default=100)
    given.add_argument("--seed", type=int, default=0)
    asked, rng = given.parse_args(), np.random.default_rng(given.parse_args().seed)
    kills = runs = wrong = 0
    began = time.perf_counter()
    while kills < asked.kills:
        case = CASES[runs % len(CASES)]
        died, same = survives(case, rng, asked.kills - kills)
        kills, runs, wrong = kills + died, runs + 1, wrong + (not same)
        print(f"{case}: killed {died} times, its end {'has the bits of' if same else 'DIFFERS from'} the undisturbed run's",
              flush=True)
    print(f"{kills} kills in {runs} runs, {wrong} ends that differ, {time.perf_counter() - began:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], sys.argv[4] == "1", int(sys.argv[5]))
    else:
        main()
