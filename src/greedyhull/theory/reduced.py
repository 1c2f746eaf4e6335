"""Variance-reduced Jones: what it promises in expectation, for any estimate of the gradient.

A step minimises m(w + η(d - w)) over the atoms d up to ηε, m = f_B - <∇f_B(w) - g, ·>. The terms are convex, the batch B is
drawn afresh, and g, which may depend on B, has E‖g - ∇f(w)‖² <= a. Then

    E e_{k+1} <= (1 - η) E e_k + η (Δ√a + ε) + ((M + V)/2) η²,

Δ = r_S if E[g | past] = ∇f(w) and D otherwise, M the curvature of f alone and V <= M the constant of `jones_rate`.
Proof: m is convex with ∇m(w) = g, so η g·(d - w) <= m(w + η(d - w)) - m(w), which is at most ηε plus the same for any atom in
the place of d, or for a mean of atoms. For the Frank-Wolfe vertex u of ∇f(w), which is not random given the past, it is
η g·(u - w) + D_{f_B}(w + η(u - w), w), and E D_{f_B} = D_f <= (M/2)η². For the mean over the mixture λ of a minimiser it is
η g·(x* - w) + Σ λ_s D_{f_B}(w + η(s - w), w), with Σ λ_s D_f(w + η(s - w), w) <= -η∇f·(x* - w) - ηe + (V/2)η². The curvature
inequality f(w⁺) <= f(w) + η∇f·(d - w) + (M/2)η² is added, and E (∇f - g)·(d - u) <= D√a, or r_S√a with the centre of the
smallest ball around the atoms in the place of u where g is unbiased. ∎
"""

from collections.abc import Mapping
from typing import SupportsFloat

import numpy.typing as npt

from greedyhull.theory.arguments import Array, K, at_least, constant, counts, like
from greedyhull.theory.expected import Along, following


def variance_reduced_jones_rate(L: float, D: float, k: K, c: float = 0.0) -> K:
    """Variance-reduced Jones with SVRG: E e_k <= 6(LD² + c)/(k + 1) for k >= 2, terms convex and L-smooth on the whole space.

    Snapshots at k = 1, 2, 4, 8, …, batches of at least 16(k + 1) terms from k = 3 on, steps 2/(k + 1), ε_k <= cη_k.
    Proof: with x = k + 1 and C = 6(LD² + c), the variance is at most 4L(e_k + e_s)/b <= 12LC/(xb) for a snapshot s with
    s + 1 >= x/2, so r_S√a <= (D/√2)√(12LC/(16x²)) and η r_S√a <= D√(1.5LC)/x² <= (3LD² + 1.5c)/x². With M <= LD² and
    V <= LD²/2 the rest of the step is at most (3LD² + 4c)/x². The sum is at most C/x², and
    (1 - 2/x)C/x + C/x² <= C/(x + 1). It begins with e_2 <= ¾LD² + c, since the first gradient is exact and the first step 1.

    Parameters
    ----------
    L : float
        Smoothness of every term, everywhere.
    D : float
        Diameter of the atoms.
    k : int or array
        Index of the point, counted from one.
    c : float, default 0.0
        Quality of the choice: m is within cη_k² of its least value.

    Returns
    -------
    float or array
        The bound on E e_k.

    Examples
    --------
    >>> variance_reduced_jones_rate(L=1.0, D=2.0, k=99)
    0.24
    """
    at_least(0, L=L, D=D, c=c)
    return like(k, 6 * (L * D * D + c) / (counts(k, first=2) + 1))


def expected_jones_error(estimator: object, eta: npt.ArrayLike, constants: Mapping[str, SupportsFloat], *, n: int | None,
                         e1: float, eps: npt.ArrayLike = 0.0) -> Array:
    """Bounds E_1, …, E_{T+1} on the expected errors of variance-reduced Jones with this estimator and steps η_1, …, η_T.

    Parameters
    ----------
    estimator : gradient estimator
        It says how large its errors are, as for `expected_error`.
    eta : array
        Steps.
    constants : mapping
        Numbers by name, as for `expected_error`; V beside them, M if it is not there.
    n : int or None
        Number of terms, None for a stream.
    e1 : float
        Error of the start, or its gap; infinite if unknown.
    eps : array, default 0.0
        Tolerances ε_k: m is within η_kε_k of its least value.

    Returns
    -------
    array
        The bounds.

    Examples
    --------
    >>> from greedyhull.solvers.gradients import Minibatch
    >>> expected_jones_error(Minibatch(4), [1.0, 0.5], {"M": 2.0, "V": 1.0, "sigma": 1.0, "r_S": 1.0}, n=100, e1=9.0)
    array([9.   , 2.   , 1.625])
    """
    return following(estimator, Along(doubled(constants), n, e1), eta, eps)


def doubled(constants: Mapping[str, SupportsFloat]) -> dict[str, SupportsFloat]:
    """The constants with M + V in the place of M, which `following` halves."""
    M = constant("M", constants["M"]) if "M" in constants else float("inf")
    return {**constants, "M": M + min(constant("V", constants.get("V", M)), M)}
