"""``python -m tests.fuzz``: random problems, each certificate against a reference."""

from tests.fuzz.command import main

if __name__ == "__main__":
    raise SystemExit(main())
