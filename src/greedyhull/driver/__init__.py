"""What surrounds a run: the guards of its point, and how a saved run goes on."""
