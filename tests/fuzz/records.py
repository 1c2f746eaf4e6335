"""What a case leaves behind: which pieces met, what came of it, and what is wrong with that."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.fuzz.attempts import Attempt
from tests.fuzz.judge import Finding


@dataclass
class Record:
    """One call: ``status`` is the kind of its certificate, or "refused", "raw", "runaway"."""

    objective: str
    region: str
    solver: str
    status: str = "refused"
    findings: list[Finding] = field(default_factory=list)
    delta: float = 0.0

    def take(self, tried: Attempt) -> Record:
        """Note what the call itself let out."""
        self.findings += [Finding("warning", said.split(": ")[0], said) for said in dict.fromkeys(tried.warned)]
        if tried.raw:
            self.status = "raw"
            category = "crash" if tried.raw.startswith("Crash") else "raw"
            self.findings.append(Finding(category, tried.raw.split(": ")[0], tried.raw))
        if tried.runaway:
            self.status = "runaway"
            self.findings.append(Finding("runaway", f"{self.solver} on {self.objective}", f"it took {tried.seconds:.0f} s"))
        return self
