"""What the header of an array in NumPy's format says; objects, which only pickle could read, are refused."""

from __future__ import annotations

from typing import BinaryIO, NamedTuple

import numpy as np

from greedyhull.errors import check


class Header(NamedTuple):
    """Shape, order, dtype (as a word, which pickles small) and where the entries begin."""

    shape: tuple[int, ...]
    fortran: bool
    dtype: str
    offset: int

    @property
    def size(self) -> int:
        """The bytes of all entries."""
        found = np.dtype(self.dtype).itemsize
        for n in self.shape:
            found *= n
        return found


def header_of(stream: BinaryIO, name: str, length: int) -> Header:
    """The header of an array of numbers; ``length`` is how many bytes there are, which must be those of header and entries."""
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    check(version in readers, f"{name} is in version {version[0]}.{version[1]} of NumPy's format; 1.0 or 2.0 is wanted, as "
                              "numpy.save "
                              "writes them for numbers.")
    shape, fortran, dtype = readers[version](stream)
    check(dtype.kind != "O", f"{name} holds Python objects, which are not unpickled; an array of numbers is wanted.")
    check(min(shape, default=0) >= 0, f"{name} says it has shape {shape}.")
    found = Header(tuple(int(n) for n in shape), bool(fortran), dtype.str, stream.tell())
    if dtype.kind in "biuf":
        check(found.offset + found.size <= length, f"{name} is cut off: its header promises shape {found.shape} of {dtype}, "
                                                   "which takes "
              f"{found.offset + found.size} bytes, and there are {length}.")
    return found


def check_numbers(header: Header, name: str) -> None:
    """An error unless the array holds real numbers."""
    dtype = np.dtype(header.dtype)
    check(dtype.kind in "biuf", f"{name} holds {dtype}; an array of real numbers is wanted.")


def common(dtypes: list[str]) -> str:
    """The dtype that rows of all files are loaded in: float32 where every file has it, float64 otherwise."""
    return "float32" if {np.dtype(dtype).newbyteorder("=") for dtype in dtypes} == {np.dtype(np.float32)} else "float64"
