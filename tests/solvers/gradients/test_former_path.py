"""The path that the estimators had before, greedyhull.gradients: imports and pickles that name it still work."""

import pickle
import subprocess
import sys

import pytest

from greedyhull.solvers.gradients import Minibatch, Root, Saga, Svrg


def said(code: str) -> str:
    """What a fresh process prints; the warning would be an error."""
    done = subprocess.run([sys.executable, "-W", "error::DeprecationWarning", "-c", code], capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.parametrize("code", [
    "from greedyhull.gradients import Saga as Former",
    "from greedyhull.gradients.saga import Saga as Former",
    "import greedyhull.gradients.saga; Former = greedyhull.gradients.Saga",
    "import greedyhull.gradients.saga as saga; Former = saga.Saga",
])
def test_a_former_import_gives_the_same_class_and_a_warning(code: str) -> None:
    first = f"import warnings\nwith warnings.catch_warnings(record=True, action='always') as told:\n    {code}\n"
    same = "from greedyhull.solvers.gradients import Saga; print(Former is Saga, len(told), told[0].filename, told[0].message)"
    assert said(first + same) == ("True 1 <string> greedyhull.gradients is now greedyhull.solvers.gradients; "
                                  "import it from there.\n")


@pytest.mark.parametrize("code", ["import greedyhull as gh; gh.gradients", "from greedyhull import gradients"])
def test_the_public_name_is_no_former_one(code: str) -> None:
    assert said(f"{code}\nimport sys; print('greedyhull.gradients' in sys.modules)") == "False\n"


def test_a_module_that_never_was_is_not_found() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"greedyhull\.gradient"):
        __import__("greedyhull.gradient")
    with pytest.warns(DeprecationWarning), pytest.raises(ModuleNotFoundError, match=r"greedyhull\.gradients\.quux"):
        sys.modules.pop("greedyhull.gradients", None)
        __import__("greedyhull.gradients.quux")


@pytest.mark.filterwarnings("ignore:greedyhull.gradients is now")
@pytest.mark.parametrize("estimator", [Saga(batch=3), Minibatch(7, replace=False), Svrg(batch=Root(0.5))])
def test_pickles_that_name_the_former_path_are_read(estimator: object) -> None:
    written = pickle.dumps(estimator, protocol=0)  # in plain letters
    former = written.replace(b"greedyhull.solvers.gradients", b"greedyhull.gradients")
    assert former != written and pickle.loads(former) == estimator
