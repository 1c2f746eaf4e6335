"""What is each pixel made of? Spectra as mixtures of known ones, for a whole image at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from greedyhull.atoms.simplex import CappedSimplex, Simplex
from greedyhull.driver.batch.call import batch
from greedyhull.driver.batch.solutions import Solutions
from greedyhull.driver.solution import count
from greedyhull.driver.stop import Iterations, Relative, Stalled
from greedyhull.errors import GreedyhullError, check, shown
from greedyhull.kernels.core import public
from greedyhull.objectives.by_name import least_squares
from greedyhull.points.aligned import alike, labels_of, numbered
from greedyhull.points.arrays import masked
from greedyhull.report.sentences import need
from greedyhull.types import Array


@dataclass(frozen=True, eq=False)
class Unmixing:
    """The result of `unmix`: how much of each material is in each pixel, and how well that is known.

    Each parameter is an attribute of the same name. Pixels without a spectrum (NaN) have NaN for their abundances.

    Parameters
    ----------
    abundances : ndarray of shape (..., materials)
        The share of each material in each pixel.
    rmse : ndarray of shape (...)
        The root mean squared error of each pixel's spectrum.
    gaps : ndarray of shape (...)
        Half the mean squared error of a pixel is at most this far above the least one: proved, rounding included.
    names : list of str
        The names of the materials.
    solutions : Solutions
        The solutions of all pixels, one after another.

    Examples
    --------
    >>> found = unmix([[0.5, 0.5], [1.0, 0.0]], endmembers=[[1.0, 0.0], [0.0, 1.0]], names=["soil", "water"])
    >>> found.map("water")
    array([0.5, 0. ])
    """

    abundances: Array
    rmse: Array
    gaps: Array
    names: list[str]
    solutions: Solutions = field(repr=False)

    def __repr__(self) -> str:
        pixels = count(len(self.solutions), "pixel")
        lost = f", {len(self.solutions.errors)} without an answer" if self.solutions.errors else ""
        known = self.gaps[np.isfinite(self.gaps)]
        worst = f", worst gap {known.max():.3g}" if known.size else ""
        return f"Unmixing({pixels} of {', '.join(self.names)}{worst}{lost})"

    def map(self, name: str) -> Array:
        """Give the abundances of one material, in the shape of the image.

        Parameters
        ----------
        name : str
            The name of the material.

        Returns
        -------
        ndarray
            One number for each pixel.
        """
        check(name in self.names, lambda: f"name={shown(name)} was given; one of {', '.join(self.names)} is wanted.")
        found: Array = self.abundances[..., self.names.index(name)]
        return found

    def plot(self) -> Any:
        """Draw a map of each material and one of the errors, for an image with rows and columns.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        check(self.rmse.ndim == 2, lambda: f"A map needs an image with rows and columns; got shape {self.rmse.shape}.")
        need("A figure", {"matplotlib": "matplotlib"}, "demo")
        import matplotlib.pyplot as plt

        panels = [*self.names, "root mean squared error"]
        figure, axes = plt.subplots(1, len(panels), figsize=(3.0 * len(panels), 2.8), layout="constrained", squeeze=False)
        for j, (ax, title) in enumerate(zip(axes[0], panels, strict=True)):
            last = j == len(self.names)
            drawn = ax.imshow(self.rmse if last else self.abundances[..., j], cmap="magma" if last else "viridis",
                              **({} if last else {"vmin": 0.0, "vmax": 1.0}))
            ax.set(title=title, xticks=[], yticks=[])
            figure.colorbar(drawn, ax=ax, shrink=0.75)
        return figure


@public
def unmix(spectra: Any, endmembers: Any, *, sum_to_one: bool = True, names: Sequence[str] | None = None, tol: float = 1e-8,
          progress: bool = False) -> Unmixing:
    """Write every spectrum of an image as a mixture of known spectra.

    The abundances of a pixel are non-negative and sum to one. They minimise the mean squared error of its spectrum, which is
    fully constrained least squares; each pixel has a certificate. Bands of data frames are aligned by the names of columns.

    Parameters
    ----------
    spectra : array_like of shape (..., bands)
        What was measured: rows, columns and bands of an image, or a list of pixels. A pixel with NaN has no spectrum and is
        passed over.
    endmembers : array_like of shape (materials, bands)
        The spectra of the pure materials, in the units of what was measured.
    sum_to_one : bool, default True
        Whether abundances sum to one; if False, to at most one, which leaves room for shade.
    names : sequence of str, optional
        Names of the materials; the labels of the rows of ``endmembers``, or "material 0" and so on, by default.
    tol : float, default 1e-8
        The certified gap of each pixel, relative to its loss or to that of predicting zero, whichever is larger.
    progress : bool, default False
        Whether to show a line of progress on a terminal.

    Returns
    -------
    Unmixing
        Abundances, errors and gaps, in the shape of the image.

    Examples
    --------
    >>> E = np.array([[1.0, 0.2, 0.1], [0.1, 0.9, 0.3]])
    >>> image = np.array([[0.25, 0.75], [1.0, 0.0]]) @ E
    >>> unmix(image, E).abundances.round(6)
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    _, (endmembers, spectra) = alike(("endmembers", endmembers, -1), ("spectra", spectra, -1))
    materials = labels_of(endmembers, 0) if names is None else names
    names = materials if names is not None or (materials is not None and not numbered(materials)) else None
    E, pixels = _numbers(endmembers, "endmembers"), _numbers(spectra, "spectra")
    valid = E.ndim == 2 and bool(np.isfinite(E).all())
    check(valid, lambda: f"endmembers must be finite, of shape (materials, bands); got shape {E.shape}.")
    check(pixels.ndim > 0 and pixels.shape[-1] == E.shape[1],
          lambda: f"spectra has shape {pixels.shape} but endmembers have {E.shape[1]} bands; the last axis is the "
                  f"bands.{' Give endmembers.T.' if pixels.shape[-1:] == E.shape[:1] else ''}")
    called = [f"material {j}" for j in range(len(E))] if names is None else [str(name) for name in names]
    check(len(called) == len(E) and len(set(called)) == len(E),
          lambda: f"names={shown(names)} was given; {len(E)} different names, one for each row of endmembers, are wanted.")
    shape = pixels.shape[:-1]
    found = batch(least_squares, Simplex(len(E)) if sum_to_one else CappedSimplex(len(E)), X=np.ascontiguousarray(E.T),
                  Y=pixels.reshape(prod(shape), E.shape[1]).T, stop=Relative(tol) | Stalled(300) | Iterations(10_000),
                  progress=progress)
    return Unmixing(found.x.reshape(*shape, len(E)), np.sqrt(2.0 * found.values).reshape(shape), found.gaps.reshape(shape),
                    called, found)


def _numbers(given: Any, name: str) -> Array:
    """An array of float64; NaN stands for what is missing."""
    try:
        array = np.ma.filled(given.astype(np.float64), np.nan) if masked(given) else np.asarray(given)
    except ValueError:
        raise GreedyhullError(f"{name} has rows of different lengths; a number for each band is wanted.") from None
    check(array.dtype.kind in "biuf", f"{name} has dtype {array.dtype}; numbers are wanted.")
    return array.astype(np.float64, copy=False)
