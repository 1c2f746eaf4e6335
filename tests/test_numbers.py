"""docs/numbers.md tells the numbers that the code decides by: all of them, with the values that they have."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "numbers.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## `([a-z_/]+\.[a-z]+)`\n(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))


def told(section: str) -> dict[str, float]:
    rows = re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \| [^|]+.* \| [^|]+ \|$", section, flags=re.MULTILINE)
    return {name: float(value) for name, value in rows}


def decided(file: str) -> dict[str, float]:
    """The numbers that stand at the beginning of a line of the file."""
    if file.startswith("native/"):
        source = (ROOT / file).read_text(encoding="utf-8")
        return {name: float(value) for name, value in re.findall(r"^constexpr \w+ ([A-Z_]+) = ([-+0-9.e]+);", source,
                                                                  flags=re.MULTILINE)}
    source = (ROOT / "src" / "greedyhull" / file).read_text(encoding="utf-8")
    numbers = re.findall(r"^([A-Z_]+) = ([-+0-9.e_]+)\s*(?:#.*)?$", source, flags=re.MULTILINE)
    return {name: float(value) for name, value in numbers}


def test_the_page_has_the_solver_and_the_driver() -> None:
    assert {"solvers/parts/corrective_numbers.py", "objectives/restricted.py", "driver/run.py"} <= SECTIONS.keys()


@pytest.mark.parametrize("file", SECTIONS)
def test_every_number_is_told_as_it_is(file: str) -> None:
    numbers = decided(file)
    assert numbers and told(SECTIONS[file]) == numbers


def test_the_corrective_solver_decides_by_named_numbers() -> None:
    """No other number than 0, 1 and ½ stands in the code of a round."""
    for file in ("solvers/corrective.py", "solvers/parts/working_set.py"):
        source = (ROOT / "src" / "greedyhull" / file).read_text(encoding="utf-8")
        code = re.sub(r'""".*?"""|"[^"\n]*"|#[^\n]*', "", source, flags=re.DOTALL)
        code = re.sub(r"^    (batch|steps): int = \d+$", "", code, flags=re.MULTILINE)
        assert set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?", code)) <= {"0", "0.0", "1", "1.0", "0.5"}, file
