"""`check_atoms` notices a set that does not do with other gradients, or with fewer atoms, what it says it does."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.points.gradients import as_array
from greedyhull.points.shapes import Dense
from greedyhull.testing import check_atoms


class Atom(Dense):
    """A dense atom that can be told to score sparse matrices wrongly."""

    wrong = False

    def dot(self, g):
        return super().dot(g) + (1.0 if self.wrong and not isinstance(g, np.ndarray) else 0.0)


class Ball(gh.AtomSet):
    """The unit ball of matrices: any point lies between two opposite atoms."""

    shape, bound, gradients = (2, 3), 1.0, "any"

    def __init__(self, fault=""):
        self.fault = fault

    def __repr__(self):
        return f"Ball({self.fault})"

    def argmin(self, g):
        if self.fault == "arrays only":
            g.ravel()
        x = as_array(g)
        sign = 1.0 if self.fault == "other answers" and not isinstance(g, np.ndarray) else -1.0
        d = Atom(sign * x / np.linalg.norm(x) if x.any() else np.eye(1, 6).reshape(2, 3))
        if self.fault == "scores":
            object.__setattr__(d, "wrong", True)
        return d

    def _holds(self, x, tol):
        return float(np.linalg.norm(x)) <= 1.0 + tol

    def compressed(self, block, weights, tol):
        x = np.zeros(self.shape)
        block.add_to(x, weights)
        size = float(np.linalg.norm(x))
        two, alpha = Dense(x / size).block(6).append(Dense(-x / size)), np.array([0.5 + 0.5 * size, 0.5 - 0.5 * size])
        if len(block) <= 2:
            return block, weights
        apart = np.array([1.0, -1.0])
        faults = {"far": (two, alpha - 1e-9 * apart), "negative": (two, alpha + 2.0 * apart), "sum": (two, 1.01 * alpha),
                  "many": (block.extend(block), np.r_[weights, weights] / 2), "count": (two, alpha[:1]), "none": (two, alpha),
                  "outside": (Dense(x + 3.0).block(6).append(Dense(x - 3.0)), np.array([0.5, 0.5]))}
        if self.fault == "writes":
            block.append(Dense(np.zeros((2, 3))))
        return faults.get(self.fault, faults["none"])


def test_one_that_keeps_its_word_passes():
    check_atoms(Ball(), minimum=lambda g: -float(np.linalg.norm(g)))


@pytest.mark.filterwarnings("ignore:compressed")  # searches of the set end with it, too
@pytest.mark.parametrize("fault, words", [
    ("arrays only", "asked with a csr_array it failed"), ("other answers", "asked with the array"),
    ("scores", "says that it scores"), ("far", "away"), ("negative", "not those of a mixture"),
    ("sum", "not those of a mixture"), ("many", "wrote a point of"), ("count", "one weight for each"),
    ("outside", "does not contain"), ("writes", "changed what it was given")])
def test_every_fault_is_found(fault, words):
    with pytest.raises(AssertionError, match=words):
        check_atoms(Ball(fault), minimum=lambda g: -float(np.linalg.norm(g)))
