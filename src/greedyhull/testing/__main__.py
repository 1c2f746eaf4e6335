"""``python -m greedyhull.testing fuzz``: random problems, each certificate against a reference."""

from __future__ import annotations

import sys

from greedyhull.testing.fuzz import main

if __name__ == "__main__":
    if sys.argv[1:2] != ["fuzz"]:
        raise SystemExit("usage: python -m greedyhull.testing fuzz --runs 1000 --seed 7  (--help tells more)")
    raise SystemExit(main(sys.argv[2:]))
