"""How a class says which protocol it keeps, and which of its members are those of the protocol.

It derives from ``KeepsLine``, say, and marks methods and properties with ``@override``; plain attributes it names in
``keeps(Line.max_step)``. So a type checker compares the class with the protocol, and misses a member that is gone from it.
All of this is for type checkers only. When the program runs, the class has no such base: properties of a protocol would stand
in the way of attributes, and classes that derive from protocols are slow to make.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import override as override

    from greedyhull import types

    KeepsAround = types.Around
    KeepsAtom = types.Atom
    KeepsAtomSet = types.AtomSet
    KeepsBlock = types.Block
    KeepsCaching = types.Caching
    KeepsCautiousSolver = types.CautiousSolver
    KeepsClosing = types.Closing
    KeepsColumns = types.Columns
    KeepsCombining = types.Combining
    KeepsCrew = types.Crew
    KeepsCurved = types.Curved
    KeepsDesign = types.Design
    KeepsFaces = types.Faces
    KeepsFinite = types.Finite
    KeepsFrame = types.Frame
    KeepsImaged = types.Imaged
    KeepsIntercepted = types.Intercepted
    KeepsKinkedLoss = types.KinkedLoss
    KeepsLine = types.Line
    KeepsLinearModel = types.LinearModel
    KeepsLoss = types.Loss
    KeepsMatrixQuadratic = types.MatrixQuadratic
    KeepsMeasuringStep = types.MeasuringStep
    KeepsMinibatch = types.Minibatch
    KeepsModelledMatrix = types.ModelledMatrix
    KeepsOracle = types.Oracle
    KeepsProfiledLoss = types.ProfiledLoss
    KeepsRegion = types.Region
    KeepsRemote = types.Remote
    KeepsSchedule = types.Schedule
    KeepsSecondOrder = types.SecondOrder
    KeepsSection = types.Section
    KeepsSelfStarting = types.SelfStarting
    KeepsShards = types.Shards
    KeepsSingled = types.Singled
    KeepsSmall = types.Small
    KeepsSolver = types.Solver
    KeepsStep = types.Step
    KeepsStepRule = types.StepRule
    KeepsStoredDesign = types.StoredDesign
    KeepsStreamed = types.Streamed
    KeepsSummed = types.Summed
    KeepsSupply = types.Supply
    KeepsTask = types.Task
    KeepsTolerant = types.Tolerant
    KeepsTrial = types.Trial
    KeepsView = types.View
else:

    class Unseen:
        """A base that the class no longer has once it is made."""

        def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[Any, ...]:
            return ()

    KeepsAround = KeepsAtom = KeepsAtomSet = KeepsBlock = KeepsCaching = KeepsCautiousSolver = KeepsClosing = Unseen()
    KeepsColumns = KeepsCombining = KeepsCurved = KeepsDesign = KeepsFinite = KeepsImaged = KeepsKinkedLoss = Unseen()
    KeepsLine = KeepsLinearModel = KeepsLoss = KeepsMeasuringStep = KeepsMinibatch = KeepsOracle = Unseen()
    KeepsProfiledLoss = KeepsSchedule = KeepsSecondOrder = KeepsSelfStarting = KeepsSmall = KeepsSolver = Unseen()
    KeepsStep = KeepsStepRule = KeepsStoredDesign = KeepsStreamed = KeepsSummed = KeepsSupply = KeepsTolerant = Unseen()
    KeepsFrame = KeepsRegion = KeepsSection = KeepsTrial = KeepsView = Unseen()
    KeepsCrew = KeepsFaces = KeepsIntercepted = KeepsMatrixQuadratic = KeepsRemote = KeepsShards = KeepsTask = Unseen()
    KeepsModelledMatrix = KeepsSingled = Unseen()

    def override(method: Any) -> Any:
        """The method as it is."""
        return method


def keeps(*members: Any) -> None:
    """These attributes of a class are those of its protocol; written in its body, below ``if TYPE_CHECKING:``."""
