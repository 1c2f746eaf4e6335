"""What several estimators have in common in their docstrings: parameters and attributes, each described once.

A line ``{coef_, intercept_}`` of a docstring stands for the entries of these names.
"""

from __future__ import annotations

from greedyhull.errors import described as described
from greedyhull.errors import entries_of

ANY = entries_of("""
fit_intercept : bool, default=True
    Fit an intercept, which does not count towards the budget.
warm_start : bool, default=False
    Start from the coefficients of the previous call to `fit`, if the number of features and the classes are the same.
tol : float, default=1e-6
    The certified gap to reach, relative to the loss, or to the loss of predicting zero (with an intercept: the best
    constant) where that is larger.
max_iter : int, default=10000
    The most iterations of one solve.
random_state : int, RandomState instance or None, default=None
    Seed of the solver.
verbose : int, default=0
    Show progress if positive.
dual_gap_ : float
    The loss is at most this far above the least one: proved, rounding included.
n_features_in_ : int
    Number of features seen in `fit`.
feature_names_in_ : ndarray of shape (n_features_in_,)
    Names of the features, where the training data had them.
standardize : bool, default=False
    Measure each coefficient in units of the standard deviation of its column. The data are not copied, and sparse data
    stay sparse.
positive : bool, default=False
    Only coefficients w_j ≥ 0.
cv : int, cross-validation generator or iterable, default=None
    How to split the data, as in scikit-learn; None stands for five folds.
eps : float, default=1e-3
    At the largest radius the price of the budget has fallen to ``eps`` times what its first unit is worth.
select : {"best", "one_se"}, default="best"
    "best" takes the radius with the least loss on left-out data, "one_se" the least radius within one standard error of
    it.
n_jobs : int, default=None
    How many folds to fit in parallel, by joblib; None means 1 and -1 all processors.
radii_ : ndarray of shape (n_radii,)
    The radii tried, in increasing order.
cv_losses_ : ndarray of shape (n_radii, n_folds)
    The loss on left-out data.
alpha : float, default=None
    The penalty, in place of ``radius``: minimise loss + alpha·Σ|w_j|. It needs a smooth loss. The radius whose price is alpha
    is found by Newton steps, warm-started, and the certificate is that of the penalised problem. Coefficients that the
    penalty keeps at zero are exactly 0.0.
upper : float or array-like of shape (n_features,), default=None
    No weight is above it: a number, or one for each weight. A labelled series is aligned with the columns of X.
groups : array-like of shape (n_features,) or list of index arrays, default=None
    The group of each feature, a number or a name; or a list with the features of each group, which may overlap. None makes
    each feature a group of its own, an l1 budget. A labelled series is aligned with the columns of X.
""")

REGRESSOR = entries_of("""
loss : {"squared", "huber", "absolute", "quantile", "poisson"}, default="squared"
    The loss. "squared" is ½(z − y)², "poisson" models counts with mean e^z.
delta : float, default=1.0
    Where the Huber loss turns from quadratic to linear.
quantile : float, default=0.5
    The quantile that ``loss="quantile"`` predicts, between 0 and 1.
coef_ : ndarray of shape (n_features,)
    The coefficients.
weights_ : ndarray
    The coefficients once more.
intercept_ : float
    The intercept, 0 without one.
radius_ : float
    The radius used.
price_ : float
    How much the least loss falls for one more unit of radius.
certificate_ : Certificate
    Value, gap and lower bound.
solution_ : Solution
    The whole answer of the solver.
trace_ : Trace
    How the solve went.
n_iter_ : int
    Iterations of the solver.
""", ANY)

CLASSIFIER = entries_of("""
loss : {"logistic", "squared_hinge", "hinge"}, default="logistic"
    The loss. Only "logistic" has probabilities.
class_weight : dict or "balanced", default=None
    Weights of the classes, multiplied into ``sample_weight``. "balanced" makes all classes count the same.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    The coefficients; with more than two classes a row for each.
weights_ : ndarray
    The coefficients once more, a vector for two classes.
intercept_ : ndarray of shape (1,) or (n_classes,)
    The intercept, 0 without one; those of several classes in one problem sum to zero.
radius_ : float or list of float
    The radius used; where several classes are fitted one against the rest, a list, one for each.
price_ : float or list of float
    How much the least loss falls for one more unit of radius; where several classes are fitted one against the rest, a list.
certificate_ : Certificate or list of Certificate
    Value, gap and lower bound; where several classes are fitted one against the rest, a list, one for each.
solution_ : Solution or list of Solution
    The whole answer of the solver; where several classes are fitted one against the rest, a list, one for each.
trace_ : Trace or list of Trace
    How the solve went; where several classes are fitted one against the rest, a list, one for each.
n_iter_ : int
    Iterations of the solver, the most of any class.
classes_ : ndarray of shape (n_classes,)
    The class labels, sorted.
""", ANY)

ENSEMBLE = entries_of("""
cv : int, splitter, iterable or "prefit", default=None
    How to make out-of-fold predictions, as in scikit-learn: a number of folds (stratified where there are classes), a
    splitter, or an iterable of pairs of rows to train with and rows to predict. Clones of the models are fitted, with
    ``sample_weight`` where they take it. None or "prefit": the models are fitted already.
max_models : int, default=None
    At most so many weights are positive; None: no limit.
max_iter : int, default=10000
    The most iterations; for a loss that is a function, the most rounds, of which 100 are made at most.
weights_ : array of shape (n_models,)
    The weights; also as ``coef_``.
models_ : list of (str, model) or None
    The models that predictions are made with: with ``cv``, clones fitted with all samples.
model_names_ : list of str or None
    The names of the models, or of the columns of X where it had names.
n_models_ : int
    How many weights are positive.
certificate_ : Certificate
    The loss, and a lower bound for the loss of any weights. For a function as a loss its value alone; then ``solution_`` and
    ``trace_`` are not set.
dual_gap_ : float
    No other weights have a loss that is lower by more than this; infinite for a function.
""", REGRESSOR)

for table in (REGRESSOR, CLASSIFIER, ENSEMBLE):  # what every fit leaves behind, under one name
    table["fitted"] = "\n".join(table[name] for name in ("certificate_", "solution_", "trace_", "n_iter_", "classes_",
                                                         "n_features_in_", "feature_names_in_") if name in table)

CHOSEN = """
groups : array-like of shape (n_features,) or list of index arrays, default=None
    The group of each feature, a number or a name; or a list with the features of each group, which may overlap. None makes
    each feature a group of its own. Those that `fit` takes are groups of samples, for splitters such as GroupKFold.
radii : int or array-like of shape (n_radii,), default=20
    How many radii to try, or which.
coefs_path_ : ndarray of shape (n_radii, n_features) or (n_radii, n_classes * n_features)
    The coefficients on all data at each radius, class after class.
radius_ : float
    The radius chosen.
"""
CHOSEN_REGRESSOR = entries_of(CHOSEN, REGRESSOR)
CHOSEN_CLASSIFIER = entries_of(CHOSEN, CLASSIFIER)

PENALISED = """
radius : float, default=None
    The budget r. It is 1 if neither ``radius`` nor ``alpha`` is given.
dual_gap_ : float
    The loss (with alpha: the penalised loss) is at most this far above the least one: proved, rounding included.
"""
PENALISED_REGRESSOR = entries_of(PENALISED, REGRESSOR)
PENALISED_CLASSIFIER = entries_of(PENALISED, CLASSIFIER)
