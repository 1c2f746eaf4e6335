"""How to install what is missing: from the checkout, by the name of an extra that there is."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import greedyhull as gh
from greedyhull.errors import installing

ROOT = Path(__file__).parents[1]
TEXTS = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.rst"), ROOT / "README.md"]


def test_nothing_is_said_to_be_in_a_package_index() -> None:
    found = [path.name for path in TEXTS if re.search(r"pip install [\"']?greedyhull", path.read_text(encoding="utf-8"))]
    assert len(TEXTS) > 100 and found == []


def test_every_extra_that_is_named_is_there() -> None:
    there = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    named = {name for path in TEXTS for name in re.findall(r"pip install (?:-q )?(?:-e )?\"\.\[(\w+)\]|installing\([\"'](\w+)",
                                                           path.read_text(encoding="utf-8")) for name in name if name}
    assert {"demo", "frame", "report", "paper", "estimators"} <= named <= set(there)
    assert installing("demo") == 'In the checkout: pip install -e ".[demo]".'


@pytest.mark.parametrize("module, ask, extra", [
    ("pandas", "gh.minimize(gh.least_squares(np.eye(2), np.ones(2)), gh.Simplex(2)).trace.to_frame()", "frame"),
    ("sklearn", "import greedyhull.estimators", "estimators"),
])
def test_a_missing_module_is_named_with_the_remedy(module: str, ask: str, extra: str) -> None:
    lines = (f"import sys; sys.path.insert(0, {str(Path(gh.__file__).parents[1])!r}); import importlib.util as u; "
             f"found = u.find_spec; u.find_spec = lambda name, *more: None if name == {module!r} else found(name, *more); "
             f"sys.modules[{module!r}] = None; import numpy as np, greedyhull as gh; {ask}")
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, timeout=120)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError") and last.endswith(f"which is not installed. {installing(extra)}")
