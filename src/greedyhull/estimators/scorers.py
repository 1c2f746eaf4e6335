"""Names of scikit-learn's scorers that can stand for a loss: minimising that loss maximises the score."""

from __future__ import annotations

from difflib import get_close_matches

from sklearn.metrics import get_scorer_names

REGRESSION = {"neg_mean_squared_error": "squared", "neg_root_mean_squared_error": "squared", "r2": "squared",
              "neg_mean_absolute_error": "absolute"}
CLASSIFICATION = {"neg_log_loss": "log_loss", "neg_brier_score": "squared", "brier": "squared"}


def meant(given: str, known: list[str]) -> str:
    """What to say of a name that is none of the ``known`` losses.

    >>> meant("neg_logloss", ["log_loss", "neg_log_loss"])
    "Did you mean 'neg_log_loss'?"
    """
    if given in get_scorer_names():
        return (f"{given!r} is a scorer for which no convex loss is known here; give a function of (y, prediction), the lower "
                "the better, in its place.")
    near = get_close_matches(given, known, n=1)
    return f"Did you mean {near[0]!r}?" if near else "Other losses are given as a function of (y, prediction)."
