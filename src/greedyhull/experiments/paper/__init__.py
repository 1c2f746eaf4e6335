"""The paper reproduced: one experiment for each of its statements, measured against the printed and the corrected form.

``greedyhull paper`` runs them and writes one page. An `Experiment` says what is claimed and asked; its run returns a
`Finding` with checks that hold or fail, figures as data, and tables.
"""

from greedyhull.experiments.paper.experiment import FULL, QUICK, Check, Experiment, Figure, Finding, Scale, Series, Table

__all__ = ["FULL", "QUICK", "Check", "Experiment", "Figure", "Finding", "Scale", "Series", "Table"]
