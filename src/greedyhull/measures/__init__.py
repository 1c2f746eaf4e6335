"""Constants of an objective over a set, measured: noise, steepness, what terms are like."""
