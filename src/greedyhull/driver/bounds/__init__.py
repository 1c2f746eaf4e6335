"""What the theorems say of a finished run, with their numbers."""
