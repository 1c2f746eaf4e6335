"""Where tests are: every module has some, in the place that is promised; the quick ones go into every room."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS, SOURCE = ROOT / "tests", ROOT / "src" / "greedyhull"
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if not path.name.startswith("__"))
SECTION = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("\n## Tests\n")[1].split("\n## ")[0]
ROWS = re.findall(r"^\| (`\S+\.py`(?:, `\S+\.py`)*) \| (.+) \|$", SECTION, re.MULTILINE)
TABLE = {pattern: re.findall(r"`([\w/]+(?:/|\.py))`", tests) for modules, tests in ROWS
         for pattern in re.findall(r"`(\S+)`", modules)}
QUICK = [ROOT / line for line in (TESTS / "quick.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]


def mirrored(module: Path) -> bool:
    return (TESTS / module.parent / f"test_{module.name}").exists()


def of(pattern: str) -> list[Path]:
    """The modules that a row of the table is about."""
    return sorted({path.relative_to(SOURCE) for path in SOURCE.glob(pattern)} & set(MODULES))


def test_every_module_has_its_tests_beside_it_or_a_row_in_the_table() -> None:
    named = {module for pattern in TABLE for module in of(pattern)}
    lost = [module.as_posix() for module in MODULES if not mirrored(module) and module not in named]
    assert lost == [], "give each of these tests/<room>/test_<module>.py, or a row in CONTRIBUTING.md that says where they are"


def test_every_row_of_the_table_is_needed_and_leads_to_tests() -> None:
    assert len(TABLE) > 20
    assert [pattern for pattern in TABLE if all(map(mirrored, of(pattern)))] == [], "these rows name no module that needs one"
    assert [pattern for pattern, tests in TABLE.items() if not tests] == [], "these rows name no tests"
    assert [name for tests in TABLE.values() for name in tests if not (TESTS / name).exists()] == [], "these do not exist"


def test_what_is_listed_as_quick_exists_once() -> None:
    assert [str(path) for path in QUICK if not path.exists()] == []
    assert len(set(QUICK)) == len(QUICK)


def test_the_quick_tests_go_into_every_room() -> None:
    rooms = {module.parts[0] for module in MODULES if len(module.parts) > 1}
    entered = {path.relative_to(TESTS).parts[0] for path in QUICK}
    entered |= {module.parts[0] for module in MODULES if ">>> " in (SOURCE / module).read_text(encoding="utf-8")}
    assert len(rooms) >= 13
    assert rooms - entered == set()
