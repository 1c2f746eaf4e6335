"""Random solvers with random step rules, tolerances, looks, stops and starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import greedyhull as gh
from greedyhull.driver.stop import Stop
from greedyhull.solvers.gradients import Dual, Minibatch, Saga, Spider, Storm, Svrg
from tests.fuzz.draws import Rng, chance, pick
from tests.fuzz.models import Model
from tests.fuzz.region import Region


class Drawn(NamedTuple):
    """A solver by name; ``most`` is how many iterations it is given at most."""

    name: str
    solver: Any
    most: int = 120


def scheduled(rng: Rng) -> Any:
    """A step rule that is known in advance."""
    return pick(rng, (gh.OpenLoop(), gh.OpenLoop(4.0), gh.LogAdaptive(), gh.Constant(0.3), gh.Constant(1.0), gh.Power(0.5),
                      gh.Power(1.0)))


def step(rng: Rng) -> Any:
    """Any step rule."""
    how = pick(rng, ("exact", "short", "backtracking", "capped", "scheduled"), (4, 1, 2, 1, 3))
    return {"exact": gh.Exact(), "short": gh.Short(), "backtracking": gh.Backtracking(),
            "capped": gh.Capped(scheduled(rng)), "scheduled": scheduled(rng)}[how]


def tolerance(rng: Rng) -> Any:
    return pick(rng, (gh.zero, gh.harmonic(), gh.constant(0.01), gh.harmonic(1e-6)), (6, 1, 1, 1))


def look(rng: Rng) -> Any:
    return pick(rng, (gh.FullGap(), gh.MinibatchGap(20, 0.1), gh.Regret(), gh.Regret(0.1)), (5, 1, 0.7, 0.7))


def _frank_wolfe(rng: Rng) -> Drawn:
    return Drawn("FrankWolfe", gh.FrankWolfe(step(rng), tolerance(rng)))


def _jones(rng: Rng) -> Drawn:
    return Drawn("Jones", gh.Jones(gh.Exact() if chance(rng, 0.5) else scheduled(rng), tolerance(rng)), 60)


def _pairwise_jones(rng: Rng) -> Drawn:
    return Drawn("PairwiseJones", gh.PairwiseJones(tolerance(rng)), 60)


def _blended(rng: Rng) -> Drawn:
    return Drawn("BlendedPairwise", gh.BlendedPairwise(step(rng), tolerance(rng)))


def _corrective(rng: Rng) -> Drawn:
    return Drawn("Corrective", gh.Corrective(batch=pick(rng, (30, 1, 3))), 50)


def _by_atoms(rng: Rng) -> Drawn:
    made = pick(rng, (gh.AwayStep, gh.Pairwise))
    return Drawn(made.__name__, made(step(rng)))


def _by_faces(rng: Rng) -> Drawn:
    return Drawn("DecompositionInvariant", gh.DecompositionInvariant(step(rng)))


def _by_blocks(rng: Rng) -> Drawn:
    order: Any = pick(rng, ("gap", "cyclic", "random"))
    return Drawn("BlockCoordinate", gh.BlockCoordinate(order, step(rng), pick(rng, (None, 1, 5))), 60)


def _mixed(rng: Rng) -> Drawn:
    mixtures: tuple[tuple[gh.FrankWolfe | gh.Jones | gh.PairwiseJones, ...], ...] = (
        (gh.FrankWolfe(), gh.Jones()), (gh.FrankWolfe(gh.OpenLoop()), gh.PairwiseJones()))
    return Drawn("Mixed", gh.Mixed(pick(rng, mixtures), pick(rng, ("alternate", "better"))), 60)


def _aggregated(rng: Rng) -> Drawn:
    inner = pick(rng, (_frank_wolfe, _jones, _blended, _corrective))(rng)
    return Drawn(f"Aggregated({inner.name})", gh.Aggregated(inner.solver, every=pick(rng, (1, 1, 7))), inner.most)


def _smoothed(rng: Rng) -> Drawn:
    inner: Any = pick(rng, (gh.Corrective(), gh.BlendedPairwise(), gh.FrankWolfe()))
    return Drawn("Smoothed", gh.Smoothed(inner, None if chance(rng, 0.7) else 0.1), 60)


def _default(rng: Rng) -> Drawn:
    return Drawn("default", None, 60)


def _stochastic(rng: Rng) -> Drawn:
    sfw = gh.StochasticFrankWolfe
    named: list[Callable[[], Any]] = [sfw, sfw.momentum, sfw.storm, sfw.spider, sfw.svrf, sfw.svfw, sfw.saga, sfw.dual]
    if chance(rng, 0.6):
        return Drawn("StochasticFrankWolfe", pick(rng, named)())
    estimator: Any = pick(rng, (Minibatch(gh.linear()), Minibatch(3), Svrg(), Saga()))
    return Drawn("StochasticFrankWolfe", gh.StochasticFrankWolfe(estimator, scheduled(rng), tolerance(rng), look=look(rng)))


def _stochastic_jones(rng: Rng) -> Drawn:
    batch: Any = pick(rng, (gh.linear(), 2, gh.Growing()))
    rule = pick(rng, (scheduled(rng), gh.Capped(scheduled(rng)), gh.Exact()))
    return Drawn("StochasticJones", gh.StochasticJones(batch, rule, tolerance(rng), look=look(rng)), 40)


def _variance_reduced_jones(rng: Rng) -> Drawn:
    estimator: Any = pick(rng, (Svrg(gh.linear(4.0)), Svrg(2), Saga(3), Minibatch(gh.linear()), Spider(2, 5), Storm(2),
                                Dual(2)))
    seen = look(rng) if estimator.unbiased else gh.FullGap()
    return Drawn("VarianceReducedJones", gh.VarianceReducedJones(estimator, scheduled(rng), tolerance(rng), look=seen), 60)


def _regularized(rng: Rng) -> Drawn:
    weights: tuple[gh.Unweighted | gh.Fading | gh.Steady, ...] = (gh.Unweighted(), gh.Fading(), gh.Steady(50))
    return Drawn("RegularizedStochasticFrankWolfe",
                 gh.RegularizedStochasticFrankWolfe(pick(rng, weights), batch=pick(rng, (256, 2)), look=look(rng)))


def _moreau(rng: Rng) -> Drawn:
    return Drawn("MoreauFrankWolfe", gh.MoreauFrankWolfe(pick(rng, (4, 16)), pick(rng, (256, 2))), 20)


def _lu_freund(rng: Rng) -> Drawn:
    return Drawn("LuFreund", gh.LuFreund(pick(rng, (1, 4, 32))), 100)


def _storc(rng: Rng) -> Drawn:
    return Drawn("Storc", gh.Storc(pick(rng, (1.0, 0.01))), 10)


ANY = (_frank_wolfe, _jones, _pairwise_jones, _blended, _corrective, _by_atoms, _by_faces, _by_blocks, _mixed, _aggregated,
       _smoothed, _default, _stochastic, _stochastic_jones, _variance_reduced_jones, _regularized, _moreau, _lu_freund, _storc)


def draw_solver(rng: Rng, model: Model, S: gh.AtomSet | None = None) -> Drawn:
    """A solver that suits the objective and the set; one in twenty is any solver, which may be refused."""
    if chance(rng, 0.05):
        return pick(rng, ANY)(rng)
    makes: list[Callable[[Rng], Drawn]] = [_default, _pairwise_jones, _jones]
    if model.smooth:
        makes += [_frank_wolfe, _frank_wolfe, _blended, _blended, _mixed, _aggregated]
        makes += [_corrective, _corrective] if model.correctable else []
        makes += _of_polytopes(S)
    else:
        makes += [_smoothed, _smoothed, _regularized]
    if model.n:
        makes += [_moreau, _moreau]
    if model.n and model.smooth:
        makes += [_stochastic, _stochastic, _stochastic_jones, _variance_reduced_jones, _lu_freund, _storc,
                  _regularized]
    return pick(rng, makes)(rng)


def _of_polytopes(S: gh.AtomSet | None) -> list[Callable[[Rng], Drawn]]:
    """Those that need to know faces or parts, where S does, and the baselines, where it has one owner."""
    if S is None:
        return []
    blocks = [_by_blocks, _by_blocks] if isinstance(S, gh.Product) else [_by_atoms]
    return [*blocks, _by_faces, _by_faces] if S.traits.faces else [*blocks]


def draw_stop(rng: Rng, most: int) -> tuple[Stop, str]:
    """When to stop: after k iterations, or at a gap and after that many at the latest."""
    k = int(min(pick(rng, (0, 1, 2, 5, 20, most)), most))
    how = pick(rng, ("iterations", "gap", "relative", "usual"), (4, 2, 2, 1))
    stop: Stop = gh.Iterations(k)
    if how == "gap":
        stop = gh.Gap(float(10.0 ** rng.uniform(-16, 0))) | gh.Iterations(most)
    elif how == "relative":
        stop = gh.Relative(float(10.0 ** rng.uniform(-16, -1))) | gh.Iterations(most)
    elif how == "usual":
        stop = gh.Relative(1e-6) | gh.Stalled(300) | gh.Iterations(most)
    return stop, repr(stop)


def draw_start(rng: Rng, region: Region) -> Any:
    """None mostly; else a point of the set as an array, or one of its atoms."""
    if chance(rng, 0.8):
        return None
    if chance(rng, 0.5):
        return region.S.start(np.random.default_rng(0))
    shares = rng.dirichlet(np.ones(len(region.some)))
    return shares @ region.some
