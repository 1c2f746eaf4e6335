"""What help() and editors show of a public name is complete: the parameters of its signature, what it returns, an example."""

from importlib import import_module
from importlib.util import find_spec

import pytest

import greedyhull as gh
from greedyhull import apps, estimators
from greedyhull.solvers import gradients

numpydoc = pytest.importorskip("numpydoc.validate", reason="numpydoc is not installed")

FORM = {"GL03", "GL05", "GL06", "GL07", "GL08", "GL09", "GL10"}  # sections known and in order, no double blank lines
SUMMARY = {"SS01", "SS02", "SS03", "SS04", "SS05", "SS06"}  # one line, a sentence
PARAMETERS = {"PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR09", "PR10"}  # those of the signature
RETURNS = {"RT01", "RT02", "RT03", "RT05", "YD01"}  # descriptions may begin with a letter of the paper, σ or f
SEE_ALSO = {"SA02", "SA03", "SA04"}  # what is named is described
STRICT = FORM | SUMMARY | PARAMETERS | RETURNS | SEE_ALSO
EXAMPLE = {"EX01"}

# Names whose docstrings have no such sections yet.
LATER: set[str] = set()
UNSIGNED = {"greedyhull.zero", "greedyhull.solvers.gradients.Estimate", "greedyhull.solvers.gradients.Estimator"}  # a value,
# and protocols: none of them has a constructor with parameters

NAMES = [f"{home.__name__}.{name}" for home in (gh, estimators, gradients, apps) for name in home.__all__]
METHODS = [f"greedyhull.{cls.__name__}.{name}" for cls in (gh.Solution, gh.Online) for name, member in vars(cls).items()
           if not name.startswith("_") and (callable(member) or isinstance(member, property))]


def faults(name: str, codes: set[str]) -> list[str]:
    return [f"{code}: {words}" for code, words in numpydoc.validate(name)["errors"] if code in codes]


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LATER | UNSIGNED])
def test_a_public_name_is_described_completely(name: str) -> None:
    assert faults(name, STRICT | EXAMPLE) == []


@pytest.mark.parametrize("name", sorted(UNSIGNED))
def test_what_has_no_signature_is_described(name: str) -> None:
    assert faults(name, STRICT - PARAMETERS) == []


@pytest.mark.parametrize("name", METHODS)
def test_a_public_method_is_described_completely(name: str) -> None:
    assert faults(name, STRICT) == []


def test_what_is_left_out_exists_and_is_not_complete() -> None:
    assert set(NAMES) >= LATER | UNSIGNED
    complete = [name for name in sorted(LATER) if not faults(name, STRICT | EXAMPLE)]
    assert complete == [], "they are complete now: take them out of LATER"


def test_names_in_see_also_are_public() -> None:
    from numpydoc.docscrape import get_doc_object

    lost = []
    for name in NAMES:
        home, _, last = name.rpartition(".")
        named = [str(one) for group, _ in get_doc_object(getattr(import_module(home), last))["See Also"] for one, _ in group]
        lost += [(name, one) for one in named if not public(one)]
    assert lost == []


OTHERS = ("numpy.", "scipy.", "sklearn.")


def public(name: str) -> bool:
    """Whether a name can be looked up: a public one, or an attribute of one, with or without its module."""
    if name.startswith(OTHERS):
        return find_spec(name.partition(".")[0]) is not None
    first, _, rest = name.removeprefix("greedyhull.").partition(".")
    homes = {"estimators": estimators, "gradients": gradients, "apps": apps}
    if first in homes:
        return rest.partition(".")[0] in homes[first].__all__
    owner = next((home for home in (gh, *homes.values()) if first in home.__all__), None)
    return owner is not None and (not rest or hasattr(getattr(owner, first), rest))
