"""Classes and the protocols that they keep: a base for type checkers, and nothing else when the program runs."""

import ast
from pathlib import Path

import pytest

import greedyhull as gh
from greedyhull.atoms.cached import CachedOracle
from greedyhull.objectives.designs.dense import DenseDesign
from greedyhull.objectives.line import Parabola
from greedyhull.types import override

SOURCE = Path(gh.__file__).parent
OUTSIDE = {"Approximate", "Bilinear", "Operator"}  # implemented by users and by SciPy only
CLASSES = [node for path in SOURCE.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
           if isinstance(node, ast.ClassDef)]
PROTOCOLS = {node.name: node for path in (SOURCE / "types").glob("*.py")
             for node in ast.parse(path.read_text(encoding="utf-8")).body
             if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)}
MEMBERS = [(name, item.name if isinstance(item, ast.FunctionDef) else ast.unparse(item.target))
           for name, node in PROTOCOLS.items() if name not in OUTSIDE
           for item in node.body if isinstance(item, ast.FunctionDef | ast.AnnAssign)]


def wider(name: str) -> set[str]:
    """The protocol, and those that it derives from."""
    return {name}.union(*(wider(base) for base in map(ast.unparse, PROTOCOLS[name].bases) if base in PROTOCOLS))


def marked(node: ast.ClassDef) -> set[str]:
    """The members that a class says are those of its protocols."""
    methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)
               and "override" in map(ast.unparse, item.decorator_list)}
    calls = [part for item in node.body if isinstance(item, ast.If) for part in ast.walk(item)
             if isinstance(part, ast.Call) and ast.unparse(part.func) == "keeps"]
    return methods | {named.attr for call in calls for named in call.args if isinstance(named, ast.Attribute)}


KEPT = {(protocol, member) for node in CLASSES for base in node.bases if ast.unparse(base).startswith("Keeps")
        for protocol in wider(ast.unparse(base).removeprefix("Keeps")) for member in marked(node)}


@pytest.mark.parametrize(("protocol", "member"), MEMBERS, ids=lambda part: part)
def test_some_class_says_that_it_keeps_each_member(protocol: str, member: str) -> None:
    assert (protocol, member) in KEPT, f"derive a class that has it from Keeps{protocol}, and mark it: see types/override.py"


def test_all_protocols_were_found() -> None:
    assert len(PROTOCOLS) >= 35 and len(MEMBERS) >= 150


@pytest.mark.parametrize("cls", [gh.Simplex, gh.FrankWolfe, gh.RegularizedStochasticFrankWolfe, CachedOracle, DenseDesign])
def test_a_class_has_no_protocol_among_its_bases(cls: type) -> None:
    assert not any(getattr(base, "_is_protocol", False) for base in cls.__mro__)
    assert all(base.__module__ != "greedyhull.types.override" for base in cls.__mro__)


def test_several_protocols_and_slots_go_together() -> None:
    class Both(override.KeepsLine, override.KeepsView):
        __slots__ = ("name",)

    assert Both.__bases__ == (object,)
    assert not hasattr(Both(), "__dict__") and not hasattr(Parabola(0.0, 0.0, 0.0, 1.0), "__dict__")
