"""Matrix completion as an estimator: labels, biases, a radius that is chosen, and what is said of bad input."""

import numpy as np
import pytest

pytest.importorskip("sklearn")

from scipy.sparse import coo_array

import greedyhull as gh
from greedyhull.estimators import MatrixCompletion

rng = np.random.default_rng(0)
M = 3.0 + rng.standard_normal((40, 1)) + rng.standard_normal(30) + rng.standard_normal((40, 2)) @ rng.standard_normal((2, 30))
AT = rng.permutation(1200)
I, J = np.divmod(AT[:800], 30)
V = M[I, J] + 0.1 * rng.standard_normal(800)
NEW = np.stack(np.divmod(AT[800:], 30), axis=1)
TRUE = M[NEW[:, 0], NEW[:, 1]]


def error(model):
    return float(np.sqrt(((model.predict(NEW) - TRUE) ** 2).mean()))


def test_a_chosen_radius_predicts_what_was_not_seen():
    model = MatrixCompletion().fit(np.stack([I, J], axis=1), V)
    assert error(model) < 0.4 < error(MatrixCompletion(radius=1e-3).fit(np.stack([I, J], axis=1), V))
    assert model.certificate_.kind == "always" and model.radius_ > 10.0
    assert model.components_.shape == (len(model.singular_values_), 30)


def test_a_sparse_matrix_and_pairs_are_the_same():
    a = MatrixCompletion(radius=80.0).fit(coo_array((V, (I, J)), shape=(40, 30)))
    b = MatrixCompletion(radius=80.0).fit(np.stack([I, J], axis=1), V)
    assert a.predict(NEW) == pytest.approx(b.predict(NEW), abs=0.05)


def test_the_certificate_is_that_of_what_biases_leave():
    model = MatrixCompletion(radius=80.0).fit(np.stack([I, J], axis=1), V)
    rest = V - model.biases_.at(I, J)
    f = gh.completion(I, J, rest, (40, 30))
    assert model.certificate_.value == pytest.approx(f.value(model.solution_.point), rel=1e-10)
    assert model.certificate_.gap <= 1e-3 * f.scale


def test_labels_may_be_words_and_unseen_ones_have_biases():
    pairs = [("ann", "a"), ("ann", "b"), ("bob", "a"), ("eve", "b")]
    model = MatrixCompletion(radius=5.0).fit(pairs, [5.0, 1.0, 4.0, 2.0])
    seen, new = model.predict([("ann", "b"), ("zoe", "b")])
    assert seen < 3.0 and new == pytest.approx(model.biases_.mean + model.biases_.cols[1])
    plain = MatrixCompletion(radius=5.0, biases=False).fit(pairs, [5.0, 1.0, 4.0, 2.0])
    with pytest.raises(gh.GreedyhullError, match="zoe, q"):
        plain.predict([("zoe", "q")])


def test_a_rank_limits_what_predictions_use():
    model = MatrixCompletion(radius=150.0, rank=1).fit(np.stack([I, J], axis=1), V)
    assert model.components_.shape[0] == 1 and len(model.solution_.point.factors().sigma) > 1


def test_one_bit_entries():
    pairs, signs = np.stack([I, J], axis=1), np.where(V > 3.0, 1.0, -1.0)
    model = MatrixCompletion(radius=100.0, loss="logistic").fit(pairs, signs)
    assert (np.sign(model.predict(pairs)) == signs).mean() > 0.8 and model.biases_.mean == 0.0


FITTED = MatrixCompletion(radius=80.0).fit(np.stack([I, J], axis=1), V)


@pytest.mark.parametrize("call, said", [
    (lambda: MatrixCompletion().fit([[0, 1, 2]], [1.0]), "shape"),
    (lambda: MatrixCompletion().fit([[0, 1]]), "without values"),
    (lambda: MatrixCompletion().fit([[0, 1]], ["a"]), "numbers are wanted"),
    (lambda: FITTED.predict([1, 2, 3]), r"pairs must have shape .* got \[1, 2, 3\]"),
    (lambda: FITTED.predict(["ab"]), "shape"),
    (lambda: FITTED.predict(None), "pairs must have shape"),
    (lambda: FITTED.score([[0, 1]]), r"score\(pairs, values\)"),
    (lambda: FITTED.score([[0, 1]], [1.0, 2.0]), "an entry for each of"),
    (lambda: MatrixCompletion().fit([[0, 1]], [np.nan]), "NaN"),
    (lambda: MatrixCompletion(radius=-1.0).fit([[0, 1]], [1.0]), "radius"),
    (lambda: MatrixCompletion(radius=1.0).fit([[0, 1], [0, 1]], [1.0, 2.0]), "more than once"),
    (lambda: MatrixCompletion(loss="l9").fit([[0, 1]], [1.0]), "loss"),
    (lambda: MatrixCompletion(rank=0).fit([[0, 1]], [1.0]), "rank"),
    (lambda: MatrixCompletion().fit([[0, 1]], [1.0]), "too few")])
def test_bad_input_gets_words(call, said):
    with pytest.raises(gh.GreedyhullError, match=said):
        call()


def test_values_that_biases_say_are_fitted_without_a_radius():
    model = MatrixCompletion().fit([(k // 5, k % 5) for k in range(25)], np.full(25, 3.0))
    assert model.radius_ > 0.0 and model.predict([(0, 0)]) == pytest.approx(3.0)


def test_a_word_among_numbers_hides_no_label():
    model = MatrixCompletion(radius=5.0).fit([("a", 1), ("a", 2), ("b", 1), ("b", 2)], [1.0, 5.0, 2.0, 6.0])
    mixed = model.predict([("a", 1), ("b", 2), ("b", "2")])
    np.testing.assert_allclose(mixed[:2], model.predict([("a", 1), ("b", 2)]))


def test_triples_say_what_pairs_and_values_say():
    pairs = np.stack([I, J], axis=1)
    for triples in (np.column_stack([I, J, V]), [*zip(I, J, V, strict=True)], zip(I, J, V, strict=True)):
        model = MatrixCompletion(radius=80.0).fit(triples)
        np.testing.assert_array_equal(model.predict(NEW), FITTED.predict(NEW))
    words = [("ann", "a", 5.0), ("ann", "b", 1), ("bob", "a", 4.0), ("eve", "b", 2.0)]
    one = MatrixCompletion(radius=5.0).fit(words)
    two = MatrixCompletion(radius=5.0).fit([w[:2] for w in words], [5.0, 1.0, 4.0, 2.0])
    np.testing.assert_array_equal(one.predict([("bob", "b")]), two.predict([("bob", "b")]))
    assert one.score(words) == two.score([w[:2] for w in words], [5.0, 1.0, 4.0, 2.0])
    assert FITTED.score(np.column_stack([I, J, V])) == FITTED.score(pairs, V)


def test_scores_are_r2_and_choose_a_radius():
    from sklearn.model_selection import GridSearchCV

    off = FITTED.predict(NEW) - TRUE
    assert FITTED.score(NEW, TRUE) == pytest.approx(1.0 - float(off @ off) / float(((TRUE - TRUE.mean()) ** 2).sum()))
    search = GridSearchCV(MatrixCompletion(), {"radius": [1e-3, 80.0]}, cv=3).fit(np.stack([I, J], axis=1), V)
    assert search.best_params_ == {"radius": 80.0} and search.best_score_ > 0.8
    signs = np.where(V > 3.0, 1.0, -1.0)
    model = MatrixCompletion(radius=100.0, loss="logistic").fit(np.stack([I, J], axis=1), signs)
    assert model.score(np.stack([I, J], axis=1), signs) == (np.sign(model.predict(np.stack([I, J], axis=1))) == signs).mean()
