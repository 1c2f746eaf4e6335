"""Record answers, public names and files of this commit, or compare with what was recorded.

``python tests/net/record.py write`` records. ``python tests/net/record.py compare`` prints every difference and fails if there
is one.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from catalogue import LD, MATRICES, OBJECTIVES, SETS, SOLVERS, Case, cases

import greedyhull as gh

HERE = Path(__file__).parent
PACKAGES = ("greedyhull", "greedyhull.extend", "greedyhull.estimators", "greedyhull.apps", "greedyhull.theory",
            "greedyhull.testing")
EPS = float(np.finfo(np.float64).eps)


def signature(thing: Any) -> str:
    """The parameters of a callable; addresses and annotations, which may change, are left out."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return type(thing).__name__
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return re.sub(r" at 0x\w+", "", str(found.replace(parameters=plain, return_annotation=found.empty)))


def names() -> dict[str, dict[str, str]]:
    out = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        listed = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
        public = {name: getattr(module, name) for name in sorted(listed)}
        out[package] = {name: signature(one) for name, one in public.items() if not inspect.ismodule(one)}
    made = {**SETS, **MATRICES, **SOLVERS, **{name: model.make for name, model in OBJECTIVES.items()}}
    out["reprs"] = {name: re.sub(r" at 0x\w+", "", repr(make())) for name, make in made.items()}
    return out


def judged(case: Case, s: Any) -> str:
    """Whether the certified value is that of the point, in extended precision."""
    if case.exact is None:
        return "not judged"
    x = np.asarray(s.x, dtype=LD)
    value, size = case.exact(x), 1 + abs(float(s.value))
    return "true" if abs(float(value) - s.value) <= 1e4 * EPS * size else f"value {s.value!r}, exactly {float(value)!r}"


def run(case: Case) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            stop = gh.Gap(1e-7) | gh.Iterations(400)
            s = gh.minimize(case.f(), case.S(), None if case.solver is None else case.solver(), stop=stop)
        except gh.GreedyhullError as error:
            return {"error": type(error).__name__}
    c = s.certificate
    return {"value": s.value, "gap": c.gap, "lower": c.lower, "kind": c.kind, "converged": s.converged,
            "iterations": s.iterations, "judged": judged(case, s), "trace_lower": trace_lower(s)}


def trace_lower(s: Any) -> float | None:
    """The best lower bound that the rows of the trace state, skipped rounds included; None where gaps bound no error."""
    if s.certificate.kind == "stationary":
        return None
    best = float(np.max(s.trace.value - s.trace.gap))
    return best if np.isfinite(best) else None


def golden() -> dict[str, dict[str, Any]]:
    return {case.name: run(case) for case in cases()}


def differs(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """In what a run differs from the recorded one, if in anything that counts."""
    if "error" in old or "error" in new:
        return None if old.get("error") == new.get("error") else f"{old} became {new}"
    if new["judged"] not in ("true", "not judged"):
        return f"certificate: {new['judged']}"
    scale = 1 + abs(old["value"])
    for bound in ("lower", "trace_lower"):
        if new[bound] is not None and new[bound] > min(old["value"], new["value"]) + 1e-12 * scale:
            return f"{bound} {new[bound]!r} above value {min(old['value'], new['value'])!r}"
    if (old["kind"], old["converged"]) != (new["kind"], new["converged"]):
        return f"{old['kind']}, converged={old['converged']} became {new['kind']}, converged={new['converged']}"
    allowed = max((old["gap"] or 0.0), (new["gap"] or 0.0), 1e-7) + 1e-10 * scale if old["converged"] else 1e-9 * scale
    if abs(new["value"] - old["value"]) > allowed:
        return f"value {old['value']!r} became {new['value']!r}"
    for bound in ("lower", "trace_lower"):
        before, now = old[bound], new[bound]
        if before != now and (before is None or now is None or not abs(now - before) <= allowed):
            return f"{bound} {before!r} became {now!r}"
    if abs(new["iterations"] - old["iterations"]) > max(2, 0.2 * old["iterations"]):
        return f"{old['iterations']} iterations became {new['iterations']}"
    return None


RUNS: dict[str, tuple[str, str, str | None]] = {
    f"run{k}": row for k, row in enumerate([
        ("least_squares", "L1Ball", None), ("logistic", "Simplex", None), ("quadratic", "Box", None),
        ("least_squares", "Vertices", "BlendedPairwise"), ("huber", "L2Ball", "FrankWolfe"),
        ("least_squares", "Product", "BlockCoordinate"),
        ("logistic", "L1Ball", "StochasticFrankWolfe saga"), ("absolute", "L1Ball", None),
        ("quadratic", "LinearProgram", None),
        ("quadratic", "KSparse", "Pairwise"), ("least_squares", "Simplex", "Jones"), ("hinge", "Simplex", "Smoothed")])}


def files(folder: Path) -> None:
    """Solutions and checkpoints of a dozen runs."""
    folder.mkdir(exist_ok=True)
    for name, (model, over, solver) in RUNS.items():
        make = (OBJECTIVES[model].make(), SETS[over](), None if solver is None else SOLVERS[solver]())
        gh.minimize(*make, stop=gh.Gap(1e-7) | gh.Iterations(60)).save(folder / f"{name}.solution.npz")
        gh.minimize(*make, stop=gh.Iterations(3), checkpoint=folder / f"{name}.state.npz")


def read(folder: Path) -> list[str]:
    """What of the recorded files cannot be loaded, or resumed at least from its point."""
    bad = []
    for name, (model, over, solver) in RUNS.items():
        make = (OBJECTIVES[model].make(), SETS[over](), None if solver is None else SOLVERS[solver]())
        fresh = gh.minimize(*make, stop=gh.Gap(1e-7) | gh.Iterations(60))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            old = gh.load(folder / f"{name}.solution.npz")
            on = gh.minimize(*make, stop=gh.Gap(1e-7) | gh.Iterations(60), resume=folder / f"{name}.state.npz")
        if abs(old.value - fresh.value) > 1e-6 * (1 + abs(old.value)):
            bad.append(f"{name}: the loaded solution has value {old.value!r}, a fresh one {fresh.value!r}")
        near = 1e-2 if solver and "Stochastic" in solver else 1e-6  # a stochastic run that begins at a point draws other terms
        if on.value > fresh.value + near * (1 + abs(fresh.value)):
            bad.append(f"{name}: the resumed run ends at {on.value!r}, a fresh one at {fresh.value!r}")
    return bad


def compare() -> list[str]:
    found = []
    old_names = json.loads((HERE / "names.json").read_text())
    new_names = names()
    for package, recorded in old_names.items():
        for name, shown in recorded.items():
            now = new_names[package].get(name)
            if now != shown:
                found.append(f"{package}.{name}: {shown} became {now}")
    recorded = json.loads((HERE / "golden.json").read_text())
    for name, new in golden().items():
        why = differs(recorded[name], new) if name in recorded else "was not recorded"
        if why:
            found.append(f"{name}: {why}")
    return found + read(HERE / "files")


def main() -> None:
    if sys.argv[1:] == ["write"]:
        (HERE / "names.json").write_text(json.dumps(names(), indent=0, sort_keys=True) + "\n")
        (HERE / "golden.json").write_text(json.dumps(golden(), indent=0, sort_keys=True) + "\n")
        files(HERE / "files")
        return
    found = compare()
    print("\n".join(found) or "nothing differs")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
