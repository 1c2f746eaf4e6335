"""The fuzz finds nothing in the library, and finds what is planted in it."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

import greedyhull as gh
from greedyhull.atoms.singular_oracle import SingularOracle
from greedyhull.atoms.wrapped import InexactOracle
from greedyhull.points import aligned
from greedyhull.points.shapes import DenseBlock
from greedyhull.solvers.parts.solver_state import Memory
from tests.fuzz import KINDS, Report, fuzz, main, membership, play
from tests.fuzz.cases import draw_kind
from tests.fuzz.command import numbers
from tests.fuzz.hostile import apart
from tests.fuzz.judge import Finding
from tests.fuzz.own_sets import ErringOracle
from tests.fuzz.records import Record

LD = np.longdouble


def test_a_few_hundred_random_cases_find_nothing() -> None:
    report = fuzz(seed=2, runs=200)
    assert report.clean, report.text()


def test_a_case_is_the_same_whatever_ran_before_it() -> None:
    first = [play(3, number) for number in range(6)]
    assert [play(3, number) for number in reversed(range(6))][::-1] == first
    chosen = numbers(3, 5, "resume")
    assert all(draw_kind(3, number)[0] == "resume" for number in chosen) and chosen == numbers(3, 9, "resume")[:5]


def test_every_kind_is_drawn() -> None:
    assert {draw_kind(0, number)[0] for number in range(400)} == set(KINDS)


# --- what is planted is found: each time the count is compared with that of the library as it is ------------------------


def found(category: str, only: str, runs: int, seed: int = 14) -> int:
    return fuzz(seed=seed, runs=runs, only=only).count(category)


def test_an_oracle_whose_slack_is_dropped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = found("false", "certify", 12, seed=10)
    for oracle in (InexactOracle, ErringOracle):
        told = oracle.argmin
        monkeypatch.setattr(oracle, "argmin", lambda self, *a, told=told, **kw: told(self, *a, **kw)._replace(slack=0.0))
    assert found("false", "certify", 12, seed=10) > honest


def test_labels_that_are_ignored_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("false", "labels", 20) == 0
    monkeypatch.setattr(aligned, "_taken", lambda thing, order, axis: thing)
    assert found("false", "labels", 20) > 5
    monkeypatch.setattr(aligned, "labels_of", lambda thing, axis=0: None)
    assert found("accepted", "labels", 20) > 0


def test_gaps_ten_times_too_small_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, real = found("false", "solve", 20), gh.minimize

    def boasting(*given: object, **named: object) -> gh.Solution:
        s = real(*given, **named)
        value, gap = s.certificate.value, s.certificate.gap / 10.0
        return replace(s, certificate=replace(s.certificate, gap=gap, lower=value - gap))

    monkeypatch.setattr(gh, "minimize", boasting)
    assert found("false", "solve", 20) > honest + 5


def test_atoms_that_are_not_known_again_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = fuzz(seed=14, runs=25, only="solve")
    monkeypatch.setattr(DenseBlock, "key_of", lambda self, atom: object())
    confused = fuzz(seed=14, runs=25, only="solve")
    assert sum(confused.count(c) for c in ("false", "infeasible", "raw")) + confused.statuses["refused"] > sum(
        honest.count(c) for c in ("false", "infeasible", "raw")) + honest.statuses["refused"]  # an iterate refuses, too


def test_a_point_beside_the_set_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, real = found("infeasible", "solve", 20), gh.minimize

    def outside(*given: object, **named: object) -> gh.Solution:
        s = real(*given, **named)
        if s.point.keeps_atoms:
            s.point.weights[:] *= 1.0 + 1e-9
        return s

    monkeypatch.setattr(gh, "minimize", outside)
    assert found("infeasible", "solve", 20) > honest + 10


def test_a_state_that_comes_back_incomplete_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, whole = found("broken resume", "resume", 20, seed=17), Memory.restore

    def forgetful(self: Memory, state: dict[str, np.ndarray]) -> None:
        whole(self, state)
        self.lower = -np.inf

    monkeypatch.setattr(Memory, "restore", forgetful)
    assert found("broken resume", "resume", 20, seed=17) > honest


def test_a_process_that_dies_is_a_crash() -> None:
    record = Record("", "", "").take(apart(lambda: os._exit(3)))
    assert [finding.category for finding in record.findings] == ["crash"]
    assert apart(lambda: 7).result == 7


# --- the parts ---------------------------------------------------------------------------------------------------------


def test_memberships_know_inside_from_outside() -> None:
    x = np.array([0.5, 0.5], LD)
    assert membership.simplex(x, 1.0, None) == 0.0 and membership.simplex(x, 1.1, None) > 0.01
    assert membership.simplex(x, 1.1, None, at_most=True) == 0.0
    assert membership.simplex(x, 1.0, np.array([0.4, 1.0])) == pytest.approx(0.1)
    assert membership.l1(x, 1.0, None) == 0.0 and membership.l1(x, 1.0, np.array([1.0, 2.0])) == pytest.approx(0.5)
    assert membership.l2(x, 0.5, np.array([0.5, 0.0])) == 0.0 and membership.l2(x, 0.4, np.array([0.5, 0.0])) > 0.01
    assert membership.box(x, np.array([0.5, 0.0]), np.array([0.5, 1.0])) == 0.0
    assert membership.box(x, np.array([0.6, 0.0]), np.array([1.0, 1.0])) == pytest.approx(0.1)
    corners = np.eye(2)
    assert membership.hull(x, corners) == 0.0 and membership.hull(2 * x, corners) > 0.1
    assert membership.is_row(np.array([1.0, -0.0]), corners) and not membership.is_row(np.array([1.0, 1e-16]), corners)
    assert membership.simplex(np.array([np.nan, 1.0], LD), 1.0, None) == np.inf


def test_probable_certificates_may_fail_as_often_as_they_say() -> None:
    report = Report(0)
    for number in range(200):
        miss = [Finding("unlucky", "", "")] if number % 10 == 0 else []
        report.take(number, "solve", [Record("f", "S", "solver", "probability", miss, delta=0.1)])
    assert report.clean and report.count("unlucky") == 20
    for number in range(200, 240):
        report.take(number, "solve", [Record("f", "S", "solver", "probability", [Finding("unlucky", "", "")], delta=0.1)])
    assert not report.clean


def test_the_command_tells_a_case_and_how_to_repeat_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--seed", "4", "--case", "2"])
    assert capsys.readouterr().out.startswith("case 2 of seed 4: ")
    report = Report(4)
    report.take(2, "solve", [Record("f", "S", "solver", "always", [Finding("false", "why", "by 3")])])
    assert not report.clean and "python -m tests.fuzz --seed 4 --case 2" in report.text()
    report = Report(4)
    report.take(2, "solve", [Record("f", "S", "solver", "always")])
    assert report.clean


def test_the_exit_code_says_whether_something_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    quiet, loud = Report(0), Report(0)
    loud.take(0, "solve", [Record("f", "S", "solver", "raw", [Finding("raw", "why", "what")])])
    for report, code in ((quiet, 0), (loud, 1)):
        monkeypatch.setattr("tests.fuzz.command.fuzz", lambda *a, report=report, **kw: report)
        assert main(["--runs", "3", "--seed", "1"]) == code


def test_a_hundred_matrices_find_nothing_and_a_norm_that_is_too_small_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    report = fuzz(seed=5, runs=100, only="matrix")
    assert report.clean, report.text()
    above = SingularOracle._above
    monkeypatch.setattr(SingularOracle, "_above", lambda self, most, size: 0.99 * above(self, most, size))
    assert found("false", "matrix", 25, seed=5) > 0
