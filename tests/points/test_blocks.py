"""Blocks: what a shape gets for nothing, how one becomes wider, and how a saved one finds its way back."""

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.objectives.designs import design
from greedyhull.points import blocks
from greedyhull.points.blocks import Block, block_from, block_state, register_block
from greedyhull.points.iterate import Iterate
from greedyhull.points.shapes import Basis, BasisBlock, Dense, DenseBlock, Sparse, SparseBlock, widened


class Corner:
    """The matrix c·(first row of ones), in a shape of its own."""

    def __init__(self, c, shape=(2, 3)):
        self.c, self.shape = float(c), shape

    @property
    def key(self):
        return ("corner", self.c)

    def array(self):
        x = np.zeros(self.shape)
        x[0] = self.c
        return x

    def dot(self, g):
        return float(np.vdot(g, self.array()))

    def image(self, A):
        return A.matvec(self.array())

    def add_to(self, w, c):
        w += c * self.array()

    def block(self, size):
        return Corners(self.shape, [self])


class Corners(Block):
    """The least that a block can be."""

    kind = "tests.corners"

    def __init__(self, shape, atoms):
        self.shape, self.atoms = shape, atoms

    def __len__(self):
        return len(self.atoms)

    def __getitem__(self, i):
        return self.atoms[i]

    def append(self, atom):
        if not isinstance(atom, Corner):
            return widened(self, atom)
        self.atoms.append(atom)
        return self

    def take(self, index):
        return Corners(self.shape, [self.atoms[i] for i in index])

    def state(self):
        return {"c": np.array([atom.c for atom in self.atoms]), "shape": np.array(self.shape)}


def restored(state):
    shape = tuple(state["shape"].tolist())
    return Corners(shape, [Corner(c, shape) for c in state["c"].tolist()])


@pytest.fixture(autouse=True)
def kinds(monkeypatch):
    monkeypatch.setattr(blocks, "_KINDS", dict(blocks._KINDS))


BASIS, SPARSE, DENSE = Basis(2, 1.5), Sparse(np.array([0, 4]), np.array([1.0, -1.0])), Dense(np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("atom", [BASIS, SPARSE, DENSE], ids=repr)
def test_a_block_says_its_kind_and_comes_back(atom):
    block = atom.block(6)
    state = block_state(block)
    assert str(state["kind"]) == block.kind and type(block_from(state)) is type(block)
    assert list(block_from(state).keys) == list(block.keys)
    del state["kind"], state["home"]  # as states were written at first
    assert type(block_from(state)) is type(block) and list(block_from(state).keys) == list(block.keys)


def test_what_a_shape_gets_for_nothing_is_right():
    block, rng = Corners((2, 3), [Corner(1.0), Corner(-2.0)]), np.random.default_rng(0)
    rows = np.stack([block[i].array() for i in range(2)])
    g, c, w, sizes = rng.standard_normal((2, 3)), np.array([0.25, 0.75]), np.ones((2, 3)), np.zeros((2, 3))
    block.add_to(w, c)
    block.add_sizes_to(sizes, c)
    assert np.allclose(block.dots(g), [np.vdot(row, g) for row in rows])
    assert np.allclose(w, 1.0 + np.tensordot(c, rows, 1)) and np.allclose(sizes, np.tensordot(c, np.abs(rows), 1))
    assert block.keys == [("corner", 1.0), ("corner", -2.0)] and block.unnamed() is block
    both = block.extend(Corners((2, 3), [Corner(3.0)]))
    assert len(both) == 3 and len(block) == 2 and isinstance(both, Corners)
    assert np.allclose(Iterate(block, c, (2, 3)).absolute(), sizes)


def test_images_of_such_a_shape():
    A = design(np.arange(12.0).reshape(4, 3))
    block = Corners((3,), [_vector(1.0), _vector(2.0)])
    assert np.allclose(block.images(A), np.stack([A.matvec(block[i].array()) for i in range(2)]).T)
    assert np.allclose(block.combine(A, np.array([0.5, 0.5])), A.matvec(np.array([1.5, 1.5, 1.5])))


def _vector(c):
    corner = Corner(c, (3,))
    corner.array = lambda: np.full(3, corner.c)
    return corner


@pytest.mark.parametrize("first", [BASIS, SPARSE, DENSE, Corner(1.0)], ids=["basis", "sparse", "dense", "own"])
@pytest.mark.parametrize("second", [BASIS, SPARSE, DENSE, Corner(2.0)], ids=["basis", "sparse", "dense", "own"])
def test_shapes_mix(first, second):
    """Whatever is put to what, both are there afterwards, as matrices of the right shape."""
    wide = {BasisBlock: 0, SparseBlock: 1, Corners: 2, DenseBlock: 3}
    w = Iterate.at(first, (2, 3))
    w.move(w.toward(second), 0.5)
    x = np.zeros((2, 3))
    first.add_to(x, 0.5)
    second.add_to(x, 0.5)
    assert np.allclose(w.array(), x)
    if type(first) is not type(second) and Corner in (type(first), type(second)):
        assert isinstance(w.block, DenseBlock)
    assert wide[type(w.block)] >= wide[type(first.block(6))]
    if len(w) == 2:
        again = np.zeros((2, 3))
        w.block[1].add_to(again, 1.0)
        wanted = np.zeros((2, 3))
        second.add_to(wanted, 1.0)
        assert np.array_equal(again, wanted)


def test_zeros_of_either_sign_are_one_number():
    plus, minus = np.array([0.0, 1.0]), np.array([-0.0, 1.0])
    assert Dense(plus).key == Dense(minus).key and Sparse(np.arange(2), plus).key == Sparse(np.arange(2), minus).key
    assert DenseBlock(np.stack([plus, minus]), (2,)).keys[0] == Dense(minus).key
    w = Iterate.at(Dense(plus), (2,))
    w.move(w.toward(Dense(minus)), 0.5)
    assert len(w) == 1


def test_a_kind_that_nobody_registered_is_refused_in_words():
    block = Corner(1.0).block(6)
    with pytest.raises(gh.GreedyhullError, match=r"'tests.corners' is not registered.*register_block"):
        block_state(block)
    register_block("tests.corners", restored)
    state = block_state(block)
    assert block_from(state).keys == block.keys
    del blocks._KINDS["tests.corners"]
    with pytest.raises(gh.GreedyhullError, match=f"'tests.corners', which nobody has registered.*{__name__} had: import it"):
        block_from(state)
    with pytest.raises(gh.GreedyhullError, match="does not say of which kind"):
        block_from({"c": np.zeros(2)})


def test_what_is_registered_is_looked_at():
    register_block("tests.corners", restored)
    register_block("tests.corners", restored)  # a module that is loaded once more
    with pytest.raises(gh.GreedyhullError, match="a name is wanted"):
        register_block("", restored)
    with pytest.raises(gh.GreedyhullError, match="a function of a state"):
        register_block("tests.other", None)
    with pytest.raises(gh.GreedyhullError, match=r"registered by 'greedyhull.points.shapes' already"):
        register_block("dense", restored)


def test_what_is_no_block_is_refused_in_words():
    register_block("tests.corners", lambda state: None)
    with pytest.raises(gh.GreedyhullError, match=r"registered for blocks of the kind 'tests.corners' made a NoneType"):
        block_from(block_state(Corner(1.0).block(6)))
    half = Corner(1.0)
    half.block = lambda size: [half]
    with pytest.raises(gh.GreedyhullError, match=r"block\(size\) of a Corner made a list.*extend.BlockBase"):
        Iterate.at(half, (2, 3))


def test_a_state_does_not_take_the_name_of_the_kind():
    class Greedy(Corners):
        def state(self):
            return {"kind": np.array(3)}

    register_block("tests.corners", restored)
    with pytest.raises(gh.GreedyhullError, match="has the name 'kind'"):
        block_state(Greedy((2, 3), [Corner(1.0)]))


@pytest.mark.parametrize("many", [1, 8, 9, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_few_multiples_of_unit_vectors_add_up_as_many_do(many, dtype):
    rng = np.random.default_rng(many)
    index, scale, c = rng.integers(0, 6, many), rng.standard_normal(many), rng.random(many)
    block, X = BasisBlock(6, index, scale), rng.standard_normal((5, 6)).astype(dtype)
    x = np.zeros((2, 3))
    block.add_to(x, c)
    told = np.bincount(index, weights=c * scale, minlength=6)
    assert x.ravel() == pytest.approx(told, rel=1e-14, abs=1e-14)
    z = block.combine(design(X), c)
    assert z.dtype == dtype and z == pytest.approx(X @ told, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_dots_with_several_columns_are_those_with_each(many: int, columns: int) -> None:
    rng = np.random.default_rng(0)
    G = rng.standard_normal((4, columns))
    atoms = [
        [Sparse(np.array([i, 3]), rng.standard_normal(2)) for i in range(many)],
        [Dense(rng.standard_normal(4)) for _ in range(many)],
        [Basis(i, 2.0) for i in range(many)],
    ]
    for kind in atoms:
        block = kind[0].block(4)
        for atom in kind[1:]:
            block = block.append(atom)
        expected = np.array([[atom.dot(g) for g in G.T] for atom in kind])
        np.testing.assert_allclose(block.dots(G).reshape(many, columns), expected, rtol=0.0, atol=1e-14)
