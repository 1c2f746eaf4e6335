"""Data in pieces: files by pattern and format, or a function that loads them."""


