"""The tests of greedyhull; `tests.fuzz` is a command, too."""
