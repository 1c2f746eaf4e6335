"""``python -m greedyhull.testing`` has no command: the fuzzer is part of the tests."""

if __name__ == "__main__":
    raise SystemExit("The fuzzer is part of the tests: run `python -m tests.fuzz` from the root of a checkout.")
