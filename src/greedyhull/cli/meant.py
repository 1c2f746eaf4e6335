"""What was meant by a name that does not exist: the nearest spelling, or what other programs call the same thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

COMMANDS = {
    **dict.fromkeys(("minimize", "minimise", "optimize", "optimise", "run"), "solve"),
    **dict.fromkeys(("check", "verify", "prove", "gap"), "certify"), **dict.fromkeys(("info", "env", "selftest"), "doctor"),
    **dict.fromkeys(("example", "examples", "tutorial", "try"), "demo"),
    **dict.fromkeys(("experiments", "reproduce"), "paper"),
    **dict.fromkeys(("train", "regress", "classify", "lasso", "l1", "simplex", "ensemble"), "fit"),
}
MODELS = {
    **dict.fromkeys(("lasso", "sparse", "linear", "logistic", "l1_budget", "l1_ball", "budget"), "l1"),
    **dict.fromkeys(("mixture", "portfolio", "shares", "nonnegative", "convex"), "simplex"),
    **dict.fromkeys(("stack", "stacking", "blend", "blending", "vote", "voting"), "ensemble"),
}
OPTIONS = {
    **dict.fromkeys(("cv", "n_folds", "k"), "folds"), **dict.fromkeys(("lambda", "penalty", "price"), "alpha"),
    **dict.fromkeys(("label", "labels", "y"), "target"), **dict.fromkeys(("columns", "x"), "features"),
    **dict.fromkeys(("drop", "ignore", "without"), "exclude"), **dict.fromkeys(("output", "o", "save"), "out"),
    **dict.fromkeys(("iterations", "n_iter"), "max-iter"), **dict.fromkeys(("gap", "eps", "tolerance"), "tol"),
    **dict.fromkeys(("tol", "eps", "tolerance"), "gap"), **dict.fromkeys(("radius", "size"), "budget"),
    **dict.fromkeys(("budget", "size"), "radius"), **dict.fromkeys(("silent", "s"), "quiet"),
    **dict.fromkeys(("weights", "sample_weights"), "sample-weight"), **dict.fromkeys(("scale", "normalize"), "standardize"),
    **dict.fromkeys(("tau", "q"), "quantile"), **dict.fromkeys(("sum",), "total"), "fit_intercept": "intercept",
}
IN_FILES = {
    **dict.fromkeys(("squared", "mse", "ols", "l2", "linear"), "least_squares"), "log_loss": "logistic", "mae": "absolute",
    **dict.fromkeys(("l1", "lasso"), "l1_ball"), "l2_norm": "l2_ball", "fw": "frank_wolfe",
    **dict.fromkeys(("conditional_gradient", "cg"), "frank_wolfe"), "sfw": "stochastic_frank_wolfe",
    **dict.fromkeys(("tol", "tolerance", "rtol"), "relative"),
    **dict.fromkeys(("max_iter", "maxiter", "n_iter"), "iterations"),
    **dict.fromkeys(("timeout", "time", "time_limit"), "seconds"), **dict.fromkeys(("path", "filename"), "file"),
    **dict.fromkeys(("label", "y"), "target"), **dict.fromkeys(("columns", "x"), "features"),
    **dict.fromkeys(("fit_intercept", "bias"), "intercept"), **dict.fromkeys(("tau", "quantile"), "q"),
    **dict.fromkeys(("ridge", "l2_penalty", "weight_decay"), "l2"),
    **dict.fromkeys(("budget", "size"), "radius"), **dict.fromkeys(("type", "name"), "kind"),
    **dict.fromkeys(("random_state", "rng"), "seed"), "constraint": "set", "loss": "objective", "algorithm": "solver",
}


def nearest(word: object, names: Iterable[str], known: Mapping[str, str] | None = None) -> str | None:
    """The name that comes nearest to a word, however this is spelt; ``known`` are words of other programs and our names.

    >>> nearest("L1Ball", ["l1_ball", "l2_ball"]), nearest("lasso", ["simplex", "l1"], MODELS), nearest("zzz", ["l1"])
    ('l1_ball', 'l1', None)
    """
    from difflib import get_close_matches  # only errors need it

    by_plain = {_plain(name): name for name in names}
    plain = _plain(word)
    close = [plain] if plain in by_plain else get_close_matches(plain, list(by_plain), n=1, cutoff=0.7)
    if close:
        return by_plain[close[0]]
    said = {_plain(other): name for other, name in (known or {}).items() if _plain(name) in by_plain}
    if plain in said:
        return said[plain]
    near = get_close_matches(plain, list(by_plain), n=1)
    begun = [name for short, name in by_plain.items() if len(plain) > 2 and short.startswith(plain)]
    return by_plain[near[0]] if near else begun[0] if len(begun) == 1 else None


def _plain(word: object) -> str:
    return str(word).lower().lstrip("-").replace("_", "").replace("-", "")
