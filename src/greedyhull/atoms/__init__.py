"""Sets of atoms, one file each."""
