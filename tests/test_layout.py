"""The quick tests exist and reach every package."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS, SOURCE = ROOT / "tests", ROOT / "src" / "greedyhull"
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if not path.name.startswith("__"))
QUICK = [ROOT / line for line in (TESTS / "quick.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def test_what_is_listed_as_quick_exists_once() -> None:
    assert [str(path) for path in QUICK if not path.exists()] == []
    assert len(set(QUICK)) == len(QUICK)


def test_the_quick_tests_reach_every_package() -> None:
    packages = {module.parts[0] for module in MODULES if len(module.parts) > 1}
    reached = {path.relative_to(TESTS).parts[0] for path in QUICK}
    reached |= {module.parts[0] for module in MODULES if ">>> " in (SOURCE / module).read_text(encoding="utf-8")}
    assert len(packages) >= 13
    assert packages - reached == set()
