"""Data in pieces: which files a pattern names, and one file a format that says how a piece of it is loaded."""
