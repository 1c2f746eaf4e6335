"""Names of the version before this one work once more, and say what they are called now."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.extend import AtomSet


def test_a_set_that_writes_absolute_has_it_as_max_abs() -> None:
    with pytest.warns(DeprecationWarning, match="Octant.absolute is called max_abs now"):

        class Octant(AtomSet):
            shape = (3,)

            def argmin(self, g: np.ndarray) -> np.ndarray:
                return np.eye(3)[int(np.argmin(g))]

            def absolute(self, c: np.ndarray) -> float:
                return float(np.max(c))

    S = Octant()
    assert S.sized and S.max_abs(np.array([1.0, 5.0, 2.0])) == 5.0
    solution = gh.minimize(gh.least_squares(np.eye(3), np.array([0.7, 0.5, 0.1])), S)
    assert solution.converged and solution.certificate.rounding == "proved"


def test_a_set_that_writes_both_keeps_its_own_and_says_nothing(recwarn: pytest.WarningsRecorder) -> None:
    class Both(AtomSet):
        shape = (2,)

        def argmin(self, g: np.ndarray) -> np.ndarray:
            return np.eye(2)[int(np.argmin(g))]

        def absolute(self, c: np.ndarray) -> float:
            return 7.0

        def max_abs(self, c: np.ndarray) -> float:
            return float(np.max(c))

    assert Both().max_abs(np.ones(2)) == 1.0 and not recwarn.list


@pytest.mark.parametrize("S", [gh.Simplex(3), gh.L1Ball(3, 2.0), gh.Box(np.zeros(3), np.ones(3))], ids=repr)
def test_sets_answer_to_absolute(S: AtomSet) -> None:
    c = np.array([1.0, 5.0, 2.0])
    with pytest.warns(DeprecationWarning, match="absolute is called max_abs now"):
        assert S.absolute(c) == S.max_abs(c)


@pytest.mark.parametrize("f", [
    gh.least_squares(np.eye(3), np.ones(3)), gh.quadratic(np.eye(3), np.ones(3)),
    gh.function(lambda x: float(x @ x), lambda x: 2.0 * x, 3),
], ids=["composite", "quadratic", "function"])
def test_objectives_answer_to_euler(f: gh.extend.Composite) -> None:
    w = gh.Simplex(3).centre()
    with pytest.warns(DeprecationWarning, match="euler is called gradient_dot now"):
        assert f.euler(w) == f.gradient_dot(w)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_former_method_may_ask_the_one_that_it_replaces() -> None:
    class Twice(gh.L1Ball):
        def absolute(self, c: np.ndarray) -> float:
            return 2.0 * super().absolute(c)

    class Thrice(Twice):
        def absolute(self, c: np.ndarray) -> float:
            return 3.0 * super().absolute(c)

    class Newer(Twice):
        def max_abs(self, c: np.ndarray) -> float:
            return 5.0 * super().max_abs(c)

    class Own(AtomSet):
        shape, bound = (3,), 1.0

        def argmin(self, g: np.ndarray) -> np.ndarray:
            return np.eye(3)[int(np.argmin(g))]

        def absolute(self, c: np.ndarray) -> float:
            return 1.0 + super().absolute(c)

    c = np.array([1.0, 5.0, 2.0])
    assert [S.max_abs(c) for S in (Twice(3, 1.0), Thrice(3, 1.0), Newer(3, 1.0), Own())] == [10.0, 30.0, 50.0, 9.0]
    assert Twice(3, 1.0).absolute(c) == 10.0 and Thrice(3, 1.0).absolute(c) == 30.0


def test_former_names_take_arguments_by_name() -> None:
    with pytest.warns(DeprecationWarning):
        assert gh.Simplex(3).absolute(c=np.ones(3)) == 1.0
