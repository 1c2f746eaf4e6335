"""What solvers are made of: memory, steps, schedules, working atoms, looks."""
