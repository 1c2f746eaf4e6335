"""What is proved of Jones' choice and not of Frank-Wolfe's: Barron's averaging argument, with V in the place of M.

x* = Σ λ_s s is a minimiser and V = Σ λ_s ‖s - x*‖²_H the variance of the atoms it is made of, where
f(y + z) <= f(y) + ∇f(y)·z + ½‖z‖²_H on the hull: H = L I in general, the Hessian for quadratics. One step of size η has

    f(w⁺) <= min over S of f((1 - η)w + ηs) + cη² <= (1 - η) f(w) + η f* + (V/2 + c) η².

Proof: the minimum over s is at most the mean with weights λ_s. With y = (1 - η)w + ηx*, f((1 - η)w + ηs) is at most
f(y) + η∇f(y)·(s - x*) + (η²/2)‖s - x*‖²_H; in the mean the linear term vanishes, and f(y) <= (1 - η)f(w) + ηf*.

So Lemma 2 holds with V in the place of M: the order is the same, the constant another. V <= L(r_S² - ‖x* - v‖²), v the centre
of the smallest ball around the atoms and r_S its radius, hence V <= LD²/2, and LD²/4 for S = -S. For quadratics V < M/2, and
V <= M/4 for S = -S. V says nothing of gaps.
"""

from greedyhull.theory.arguments import K, at_least, counts, curvature, like
from greedyhull.theory.rates import line_search_rate, rate


def jones_rate(V: float, c: float, k: K, exact: bool = False) -> K:
    """Error of a c-Jones method with η_k = 2/(k + 2): e_k <= (2V + 4c)/(k + 2) for k >= 1.

    The joint choice of step and atom, up to 4c/(k + 2)² on f, has it too. If V is only known to be large, `rate` with the
    curvature M may be smaller; both hold.

    Parameters
    ----------
    V : float
        Variance of the atoms of a minimiser, or an upper bound; `theory.jones_variance` computes one.
    c : float
        Quality of the choice: f is within cη_k² of its least value at the step.
    k : int or array
        Number of steps.
    exact : bool, default False
        The recursion solved, (2V + 4c)(k + 1 - H_{k+1})/(k(k + 1)).

    Returns
    -------
    float or array
        The bound on e_k. With V = c = 0, where a minimiser is an atom, it is zero: Jones ends after one step.

    Examples
    --------
    >>> jones_rate(V=1.0, c=0.0, k=98)
    0.02
    """
    return rate(V, c, k, exact)


def joint_jones_rate(V: float, k: K) -> K:
    """Error of Jones' joint choice of step and atom, exact: e_k <= 2V/(k + 3) for k >= 1, from any start.

    Proof: the minimum over η in [0, 1] of (1 - η)e + (V/2)η² is at most V/2, and e - e²/(2V) where e <= V.

    Parameters
    ----------
    V : float
        Variance of the atoms of a minimiser, or an upper bound.
    k : int or array
        Number of steps.

    Returns
    -------
    float or array
        The bound on e_k.

    Examples
    --------
    >>> joint_jones_rate(V=2.0, k=37)
    0.1
    """
    return line_search_rate(V, k)


def mean_jones_rate(V: float, c: float, k: K) -> K:
    """Error of Jones on a quadratic whose gradient vanishes at x*, with η_k = 1/(k + 1): e_k <= (V/2 + c)/k for k >= 1.

    The points are plain means of k atoms. Proof: then f(y) - f* = (1 - η)²e, so (k + 1)²e_{k+1} <= k²e_k + V/2 + c.
    Attained at k = 1 on the simplex with f = ½‖w - centre‖².

    Parameters
    ----------
    V : float
        Variance of the atoms of a minimiser.
    c : float
        Quality of the choice.
    k : int or array
        Number of steps.

    Returns
    -------
    float or array
        The bound on e_k.

    Examples
    --------
    >>> mean_jones_rate(V=1.0, c=0.0, k=50)
    0.01
    """
    at_least(0, c=c)
    return like(k, (curvature(V) / 2 + c) / counts(k, first=1))
