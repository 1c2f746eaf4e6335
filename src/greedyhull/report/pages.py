"""Pages from templates; what draws and fills them is imported here, and asked for where it is missing."""

from __future__ import annotations

from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

from greedyhull.driver.saved import write_text
from greedyhull.errors import installing

NEEDED = {"jinja2": "Jinja2", "matplotlib": "matplotlib"}


def page(template: str, path: str | Path, **given: Any) -> Path:
    """Fill a template of this folder and write it to ``path``."""
    need()
    from jinja2 import Environment, PackageLoader

    pages = Environment(loader=PackageLoader("greedyhull.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    pages.filters.update(sized=sized, lasting=lasting)
    pages.globals["inf"] = inf
    target = Path(path)
    write_text(target, pages.get_template(template).render(**given))
    return target


def need() -> None:
    """An error that says what to install, where something is missing."""
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise ModuleNotFoundError(f"A report needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not "
                                  f"installed. {installing('report')}")


def sized(weight: float) -> str:
    """A weight with four decimals, or with a power of ten where it is tiny or huge.

    >>> sized(0.25), sized(-2e-7), sized(3e150)
    ('+0.2500', '-2.0e-07', '+3.0000e+150')
    """
    if abs(weight) >= 1e6:
        return f"{weight:+.4e}"
    return f"{weight:+.4f}" if abs(weight) >= 0.001 else f"{weight:+.1e}"


def lasting(seconds: float) -> str:
    """A time in the unit that suits it.

    >>> lasting(0.00003), lasting(0.25), lasting(12.0)
    ('30 µs', '250 ms', '12 s')
    """
    if seconds >= 1.0:
        return f"{seconds:.3g} s"
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"
