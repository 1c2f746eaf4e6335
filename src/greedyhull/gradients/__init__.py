"""Estimates of ∇f from minibatches, one file each: a small object that a stochastic solver asks once a step."""
