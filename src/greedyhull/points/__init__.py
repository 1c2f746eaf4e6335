"""Points of the hull: iterates, directions, the shapes of atoms, and the views that follow a point."""
