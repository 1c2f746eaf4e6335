"""Losses φ(z) = Σᵢ pᵢ ℓᵢ(zᵢ), one file each; p is 1/n, or the normalised sample weights."""
