"""The stub ``_core.pyi`` says what the compiled core takes and returns."""

import ast
import re
from collections import defaultdict
from pathlib import Path

from greedyhull.kernels import core as home
from greedyhull.kernels.core import core

STUB = Path(home.__file__).with_name("_core.pyi")
INDEX = re.compile(r"ndarray\[dtype=u?int\d+\b[^\]]*\]")
TUPLE = re.compile(r"tuple\[[^\]]*\]")
GROUPS = {"Terms": "tuple", "Batches": "tuple", "Point": "tuple"}  # the stub's names of tuples of arguments
ARRAY = re.compile(r"ndarray\[dtype=float\d+\b[^\]]*\]")


def stubbed():
    """name -> the overloads of the stub, each as the types of its arguments and of what it returns, and their names."""
    found = defaultdict(list)
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args]
            types = [ast.unparse(a.annotation).partition("[")[0] for a in arguments]
            types = [GROUPS.get(one, one) for one in types]
            returned = ast.unparse(node.returns).partition("[")[0]
            found[node.name].append((types, returned, [a.arg for a in arguments]))
    return found


def typed(signature):
    """The types of the arguments of an overload, and of what it returns, in the words of the stub."""
    plain = TUPLE.sub("tuple", ARRAY.sub("Array", INDEX.sub("Index", signature)))
    arguments, returned = re.fullmatch(r"def \w+\((.*)\) -> ([\w.]+)", plain).groups()
    return [part.partition(": ")[2] for part in arguments.split(", ") if part not in ("", "/")], returned.rpartition(".")[2]


def test_the_stub_has_every_function_of_the_core_with_its_overloads():
    stub = stubbed()
    functions = {name: member for name, member in vars(core).items() if callable(member) and not isinstance(member, type)}
    assert set(stub) == set(functions)
    for name, function in functions.items():
        compiled = [typed(signature) for signature, *_ in function.__nb_signature__]
        said = [(types, returned) for types, returned, _ in stub[name]]
        assert all(one in said for one in compiled) and all(one in compiled for one in said), name


def test_the_stub_has_every_class_of_the_core_with_its_methods():
    classes = {node.name: node for node in ast.parse(STUB.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)}
    assert set(classes) == {name for name, member in vars(core).items() if isinstance(member, type)}
    for name, node in classes.items():
        stubbed_here, there = {part.name for part in node.body}, set(vars(vars(core)[name]))
        assert {part for part in stubbed_here if part[0] != "_"} == {part for part in there if part[0] != "_"}
