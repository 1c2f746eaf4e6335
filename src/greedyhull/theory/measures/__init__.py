"""Constants of an objective on a set: curvature, noise, steepness."""
