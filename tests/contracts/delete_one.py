"""Are the protocols kept and asked for? Delete one member of each in a copy, and see where the type checker misses it.

    python tests/contracts/delete_one.py            # the first member of every protocol, all at once: one run of mypy
    python tests/contracts/delete_one.py 3 7        # the fourth and the eighth members
    python tests/contracts/delete_one.py all        # every member, some minutes

Each line names a member, then the files that miss it: first those of classes that keep the protocol, a set say, then others,
which use it through the protocol, a solver say. A class keeps a protocol by deriving from ``KeepsLine``, and marks the member
with ``@override``, or names it in ``keeps(Line.max_step)`` if it is a plain attribute: see `greedyhull.types.override`. A
member that nobody uses does not belong in its protocol.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[2] / "src"
GONE = re.compile(r'^\S*?greedyhull/(\S+?):(\d+): error: .*?"(type\[)?(\w+)(?:\[.*?\])?\]?".*has no attribute "(\w+)"')
KEPT = re.compile(r'^\S*?greedyhull/(\S+?):(\d+): error: Method "(\w+)" is marked as an override, but no base method')
ODD = {"__call__": "not callable", "__getitem__": "not indexable", "__len__": '"Sized"', "__matmul__": "operand type for @"}
OUTSIDE = {"Approximate", "Bilinear", "Operator"}  # implemented by users and by SciPy only: see tests/extend


class Missed(NamedTuple):
    """A member that was deleted, and the files that miss it."""

    protocol: str
    member: str
    kept: list[str]  # by classes that implement it
    used: list[str]  # by others

    def __str__(self) -> str:
        return f"{self.protocol}.{self.member}"

    @property
    def unkept(self) -> bool:
        """Whether no class of the library that implements it misses it."""
        return not self.kept and self.protocol not in OUTSIDE


def homes(package: Path) -> list[Path]:
    """The files that hold the protocols."""
    return sorted((package / "types").glob("*.py"))


def protocols(path: Path) -> dict[str, ast.ClassDef]:
    classes = {node.name: node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)}
    return {name: node for name, node in classes.items() if any(ast.unparse(base) == "Protocol" for base in node.bases)}


def members(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AnnAssign]:
    return [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AnnAssign)]


def name_of(member: ast.FunctionDef | ast.AnnAssign) -> str:
    return member.name if isinstance(member, ast.FunctionDef) else ast.unparse(member.target)


def without(path: Path, place: int) -> dict[str, str]:
    """Delete a member of every protocol in the file that has as many; which ones, by protocol."""
    lines, gone = path.read_text(encoding="utf-8").splitlines(keepends=True), {}
    for name, node in protocols(path).items():
        if place < len(members(node)):
            member = members(node)[place]
            gone[name] = name_of(member)
            first = min([member.lineno, *(d.lineno for d in getattr(member, "decorator_list", []))])
            lines[first - 1 : member.end_lineno] = [""] * (member.end_lineno - first + 1)
    path.write_text("".join(lines), encoding="utf-8")
    return gone


def heirs(paths: list[Path]) -> dict[str, set[str]]:
    """Every protocol with those that derive from it."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for name, node in protocols(path).items():
            found[name].add(name)
            for base in node.bases:
                found[ast.unparse(base)].add(name)
    for name in found:
        found[name] = found[name].union(*(found[heir] for heir in found[name]))
    return found


def complaints(package: Path) -> list[str]:
    """What mypy says of the copy; its cache, beside the copy, makes every run but the first a short one."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(SOURCE.parent / "pyproject.toml"), "--cache-dir",
               str(package.parent / "cache"), "-p", "greedyhull"]
    return subprocess.run(command, cwd=package.parent, text=True, capture_output=True,
                          env={**os.environ, "MYPYPATH": str(package.parent)}).stdout.splitlines()


def keeps(path: Path, line: int) -> set[str]:
    """The protocols that the class around a line says it keeps: ``class LineTrial(KeepsTrial)``."""
    around = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
              if isinstance(node, ast.ClassDef) and node.lineno <= line <= (node.end_lineno or 0)]
    return {ast.unparse(base).removeprefix("Keeps") for base in around[-1].bases} if around else set()


def missed(package: Path, place: int) -> list[Missed]:
    """Each protocol with its member at ``place`` deleted, and the files in which mypy misses it."""
    paths = homes(package)
    whole, below, gone = {path: path.read_text(encoding="utf-8") for path in paths}, heirs(paths), {}
    for path in paths:
        gone.update(without(path, place))
    said = complaints(package)
    for path, text in whole.items():
        path.write_text(text, encoding="utf-8")
    out = []
    for name, member in gone.items():
        kept, used = set(), set()
        for line in said:
            hit = GONE.match(line)
            mark = KEPT.match(line)
            if mark and mark[3] == member and keeps(package / mark[1], int(mark[2])) & below[name]:
                kept.add(mark[1])
            elif hit and hit[5] == member and hit[4] in below[name]:
                inside = keeps(package / hit[1], int(hit[2])) & below[name]
                if inside and hit[3]:
                    kept.add(hit[1])
                elif not inside:
                    used.add(hit[1])
            else:
                odd = member in ODD and ODD[member] in line and any(f'"{heir}' in line for heir in below[name])
                if odd or f'cannot be "{name}"' in line:  # no longer what a type variable is bound to
                    used.add(line.split(":")[0].split("greedyhull/", 1)[1])
        out.append(Missed(name, member, sorted(kept), sorted(used)))
    return out


def shortly(files: list[str]) -> str:
    return f"{files[0]}{f' and {len(files) - 1} more' if len(files) > 1 else ''}" if files else "nobody"


def main(asked: list[str]) -> int:
    longest = max(len(members(node)) for path in homes(SOURCE / "greedyhull") for node in protocols(path).values())
    places = range(longest) if asked == ["all"] else [int(one) for one in asked] or [0]
    found: list[Missed] = []
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "greedyhull"
        shutil.copytree(SOURCE / "greedyhull", package, ignore=shutil.ignore_patterns("__pycache__"))
        for place in places:
            for one in missed(package, place):
                print(str(one).ljust(32), shortly(one.kept).ljust(48), shortly(one.used), flush=True)
                found.append(one)
    unkept, unused = [one for one in found if one.unkept], [one for one in found if not one.used]
    print(f"{len(found)} members of {len({one.protocol for one in found})} protocols were deleted.")
    print(f"{len(unkept)} are not missed where they are implemented{''.join(f', {one}' for one in unkept)}.")
    print(f"{len(unused)} are not missed where they are used{''.join(f', {one}' for one in unused)}.")
    return int(bool(unkept or unused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
