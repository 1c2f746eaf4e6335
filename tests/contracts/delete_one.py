"""Are the protocols asked for? Delete one member of each in a copy, and see whether the type checker misses it, and where.

    python tests/contracts/delete_one.py            # the first member of every protocol, all at once: one run of mypy
    python tests/contracts/delete_one.py 3 7        # the fourth and the eighth members
    python tests/contracts/delete_one.py all        # every member, some minutes
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

SOURCE = Path(__file__).parents[2] / "src"
GONE = re.compile(r'^\S*?greedyhull/(\S+?):\d+: error: .*?"(?:type\[)?(\w+)(?:\[.*?\])?\]?".*has no attribute "(\w+)"')
ODD = {"__call__": "not callable", "__getitem__": "not indexable", "__len__": '"Sized"'}  # what is said of these instead


def homes(package: Path) -> list[Path]:
    """The files that hold the protocols."""
    return [package / "types.py"] if (package / "types.py").exists() else sorted((package / "types").glob("*.py"))


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


def missed(place: int) -> list[tuple[str, str, list[str]]]:
    """Each protocol with the member deleted, and the files in which mypy misses it."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE / "greedyhull", Path(folder) / "greedyhull", ignore=shutil.ignore_patterns("__pycache__"))
        paths = homes(Path(folder) / "greedyhull")
        below, gone = heirs(paths), {}
        for path in paths:
            gone.update(without(path, place))
        cache = os.environ.get("MYPY_CACHE_DIR", f"{folder}/cache")
        config = str(SOURCE.parent / "pyproject.toml")
        said = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", config, "--cache-dir", cache, "-p",
                               "greedyhull"], cwd=folder, text=True, capture_output=True,
                              env={**os.environ, "MYPYPATH": folder}).stdout.splitlines()
    out = []
    for name, member in gone.items():
        files = set()
        for line in said:
            hit = GONE.match(line)
            if hit and hit[3] == member and hit[2] in below[name]:
                files.add(hit[1])
            elif member in ODD and ODD[member] in line and any(f'"{heir}' in line for heir in below[name]):
                files.add(line.split(":")[0].split("greedyhull/", 1)[1])
        out.append((name, member, sorted(files)))
    return out


def main(asked: list[str]) -> int:
    longest = max(len(members(node)) for path in homes(SOURCE / "greedyhull") for node in protocols(path).values())
    places = range(longest) if asked == ["all"] else [int(one) for one in asked] or [0]
    silent = 0
    for place in places:
        for name, member, files in missed(place):
            rooms = defaultdict(int)
            for file in files:
                rooms[file.split("/")[0]] += 1
            silent += not files
            print(f"{name}.{member}".ljust(32), ", ".join(f"{room} {n}" for room, n in sorted(rooms.items())) or "nobody",
                  flush=True)
    print(f"{silent} members are missed by nobody.")
    return int(silent > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
