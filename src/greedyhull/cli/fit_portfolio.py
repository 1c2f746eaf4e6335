"""``greedyhull fit portfolio``: weights of assets from a table of returns, with the prices of their caps."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from greedyhull.cli.console import Voice, certificate_fields
from greedyhull.cli.exits import DONE, SHORT
from greedyhull.cli.result_file import check_out, write_result
from greedyhull.cli.tables import place_of, read_table
from greedyhull.errors import GreedyhullError, check
from greedyhull.errors.given import no_file


class Asked(NamedTuple):
    """What the options say."""

    risk: str
    groups: Path | None
    group_upper: float | None
    upper: float | None
    benchmark: str | None
    exclude: tuple[str, ...]
    tol: float


def run(data: Path, layout: str | None, asked: Asked, out: Path | None, voice: Voice) -> int:
    """Find the portfolio, tell it and write it."""
    from greedyhull.apps import Portfolio, portfolio

    check_out(out)
    table = read_table(data, layout)
    beside = {place_of(table, column) for column in asked.exclude}
    target = None if asked.benchmark is None else place_of(table, asked.benchmark)
    places = [j for j in range(len(table.names)) if j not in beside and j != target]
    check(len(places) > 0, "No column is left for an asset.")
    names, X = [str(table.names[j]) for j in places], np.asarray(table.numbers(places), dtype=np.float64)
    with voice.noting():
        found = portfolio(dict(zip(names, X.T, strict=True)), risk=_risk(asked.risk), groups=_groups(asked.groups),
                          group_upper=asked.group_upper, upper=asked.upper, tol=asked.tol,
                          benchmark=None if target is None else np.asarray(table.numbers([target]), dtype=np.float64)[:, 0])
    assert isinstance(found, Portfolio)
    document = {"weights": found.held(12), "prices": found.prices, "expected": found.expected, "variance": found.variance,
                "converged": found.solution.converged, **certificate_fields(found.certificate)}
    voice.say(str(found.certificate))
    voice.weights(found.held(12).items())
    if found.prices:
        voice.say("What one more unit of each active cap is worth:")
        voice.weights(found.prices.items())
    write_result(out, document, [("asset", "weight"), *found.held(12).items()], voice)
    voice.result(document)
    return DONE if found.solution.converged else SHORT


def _risk(word: str) -> float | str:
    try:
        return float(word)
    except ValueError:
        check(word in ("minimum", "log"), f"--risk {word} was given; minimum, log or a number is wanted.")
        return word


def _groups(path: Path | None) -> dict[str, str] | None:
    """The group of each asset: the first two columns of a file, or those called asset and group."""
    if path is None:
        return None
    check(path.is_file(), lambda: no_file(path))
    rows = [row for row in csv.reader(StringIO(path.read_text(encoding="utf-8-sig"))) if row]
    if not rows or min(len(row) for row in rows) < 2:
        raise GreedyhullError(f"{path} has rows with fewer than two columns; asset and group are wanted in each.")
    head = [word.strip().lower() for word in rows[0]]
    a, b = (head.index("asset"), head.index("group")) if {"asset", "group"} <= set(head) else (0, 1)
    named = {"asset", "name", "ticker", "symbol"} & set(head) or {"group", "sector"} & set(head)
    return {row[a].strip(): row[b].strip() for row in (rows[1:] if named else rows)}
