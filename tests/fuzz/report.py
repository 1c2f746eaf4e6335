"""Counts of many cases: by category, and by what was solved, over which set, by whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import sqrt

from tests.fuzz.judge import FAILURES, REPORTED, Finding
from tests.fuzz.records import Record


@dataclass
class Report:
    """What a series of cases found; ``failures`` keeps every finding with its case."""

    seed: int
    cases: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    pieces: Counter[tuple[str, str]] = field(default_factory=Counter)
    broken: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[int, str, Record, Finding]] = field(default_factory=list)
    promised: list[float] = field(default_factory=list)  # the δ of each certificate that holds with a probability

    def take(self, number: int, kind: str, records: list[Record]) -> None:
        """Let a case in."""
        self.cases[kind] += 1
        for record in records:
            self.statuses[record.status] += 1
            if record.status == "probability":
                self.promised.append(record.delta)
            for piece in (("objective", record.objective), ("set", record.region), ("solver", record.solver)):
                self.pieces[piece] += 1
                self.broken[piece] += any(f.category in FAILURES for f in record.findings)
            self.failures += [(number, kind, record, finding) for finding in record.findings]

    def count(self, category: str) -> int:
        """How many findings of a category there are."""
        return sum(finding.category == category for *_, finding in self.failures)

    @property
    def unlucky(self) -> bool:
        """Whether more of the probable certificates failed than chance explains."""
        expected = sum(self.promised)
        return self.count("unlucky") > expected + 4.0 * sqrt(expected) + 1.0

    @property
    def clean(self) -> bool:
        return not any(self.count(category) for category in FAILURES) and not self.unlucky

    def text(self, most: int = 3) -> str:
        """The counts, then each cause of failures with its first few cases and the command that repeats one."""
        solves = sum(self.statuses.values())
        lines = [f"{sum(self.cases.values())} cases of seed {self.seed}, {solves} certificates, solves and refusals.", "",
                 "kinds:   " + ", ".join(f"{n} {kind}" for kind, n in self.cases.most_common()),
                 "results: " + ", ".join(f"{n} {status}" for status, n in self.statuses.most_common()),
                 "found:   " + ", ".join(f"{self.count(c)} {c}" for c in (*FAILURES, *REPORTED)), ""]
        for what in ("objective", "set", "solver"):
            rows = [(name, n) for (kind, name), n in self.pieces.most_common() if kind == what and name]
            lines.append(f"by {what}: " + ", ".join(f"{name} {self.broken[what, name]}/{n}" for name, n in rows))
        return "\n".join([*lines, "", *self._causes(most)])

    def _causes(self, most: int) -> list[str]:
        causes: dict[tuple[str, str], list[tuple[int, str, Record, Finding]]] = {}
        for failure in self.failures:
            causes.setdefault((failure[3].category, failure[3].cause), []).append(failure)
        lines = []
        for category in (*FAILURES, *REPORTED):
            for (of, cause), found in sorted(causes.items(), key=lambda item: -len(item[1])):
                if of != category:
                    continue
                lines.append(f"{category}: {cause}, {len(found)} times")
                for number, kind, record, finding in found[:most]:
                    who = " ".join(filter(None, (record.objective, record.region, record.solver)))
                    lines.append(f"    case {number} ({kind}; {who}): {finding.words}")
                lines.append(f"    again: {self.command(found[0][0])}")
        return lines

    def command(self, number: int) -> str:
        """What repeats one case, in words."""
        return f"python -m tests.fuzz --seed {self.seed} --case {number}"
