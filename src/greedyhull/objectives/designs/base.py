"""What a design of one's own starts from."""

from __future__ import annotations


class DesignBase:
    """Nothing is known of the data but products: neither rows nor ‖A‖_F are at hand. Designs that know more say so."""

    stored: bool = False  # whether it has ``take_rows`` and ``extremes``
    frobenius: float | None = None  # ‖A‖_F
