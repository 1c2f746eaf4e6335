"""Attributes of solutions and certificates as other libraries call them, and what stands for them here."""

SOLUTION = {
    **dict.fromkeys(("fun", "obj", "objective_value", "primal", "loss", "cost", "f_val"), "value"),
    **dict.fromkeys(("X", "w", "coef", "coef_", "beta", "params", "array", "argmin", "solution", "weights_"), "x"),
    **dict.fromkeys(("weight", "weights", "lambdas", "alpha"), "x, or point.weights for the weights of the atoms"),
    **dict.fromkeys(("atom", "atoms", "active_set", "support"), "point.atoms"),
    **dict.fromkeys(("nit", "niter", "n_iter", "n_iter_", "n_iterations", "num_iterations"), "iterations"),
    **dict.fromkeys(("success", "optimal"), "converged"), **dict.fromkeys(("message", "status", "msg", "why"), "reason"),
    **dict.fromkeys(("dual_gap", "dual_gap_", "duality_gap", "fw_gap", "error"), "gap"), "intercept_": "intercept",
    **dict.fromkeys(("lower", "lower_bound", "dual", "dual_value"), "certificate.lower"), "kind": "certificate.kind",
    **dict.fromkeys(("time", "runtime", "elapsed", "walltime"), "seconds"), **dict.fromkeys(("history", "log"), "trace"),
    "f": "objective", "S": "atom_set",
}
CERTIFICATE = {
    **dict.fromkeys(("upper", "upper_bound", "primal", "fun", "obj"), "value"),
    **dict.fromkeys(("lower_bound", "dual", "dual_value", "floor"), "lower"),
    **dict.fromkeys(("dual_gap", "duality_gap", "error"), "gap"), **dict.fromkeys(("probability", "confidence"), "delta"),
}
