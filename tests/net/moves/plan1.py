PLAN = {}
RENAMES = {("kernels/group_qp.py", "FIRST"): "EARLY", ("kernels/product_qp.py", "MOST"): "DENSE", ("measures/constants.py", "MOST"): "SMALL"}
def add(pkg, target, doc, *parts):
    pre = pkg + "/" if pkg else ""
    PLAN[pre + target + ".py"] = (doc, [pre + p + ".py" for p in parts])
def plan(pkg, rows):
    for target, doc, parts in rows: add(pkg, target, doc, *parts.split())

PLAN["errors.py"] = ("Errors and warnings: what a message says, and which name was probably meant.", ["errors.py"] + [f"errors/{p}.py" for p in "given hints hinted attributes renamed".split()])
PLAN["types.py"] = ("The contracts between the layers: objectives, losses, designs, sets, oracles, points and solvers.", [f"types/{p}.py" for p in "arrays attributes traits views atoms answers designs losses batches objectives sets regions shards crews solvers kinds".split()] + ["types.py"])
plan("kernels", [
 ("core", "The compiled core: how it is loaded, its threads, interrupts, and checks of arrays in one pass.", "core threads interrupt checks"),
 ("simplex_qp", "Small quadratics over the simplex and over budgets, solved to rounding.", "simplex_qp active_sets pairwise face_newton l1_swaps budget_batch"),
 ("product_qp", "Small quadratics over products of simplices, and the same point in fewer atoms.", "product_qp product_interior thinning"),
 ("bounded_qp", "Convex quadratics over boxes, balls, bounded weights with a given sum, and l1 budgets with bounds.", "box_interior box_qp sum_qp ball_qp l1_box_qp"),
 ("group_qp", "Convex quadratics over group balls and over weights with caps on groups.", "grouped_filling grouped_qp group_ball_qp latent_norm"),
 ("polyhedral_qp", "Convex quadratics over bounds and rows: the choice of a method, and guesses of the face.", "rows_faces rows_qp"),
 ("polyhedral_products", "Convex quadratics over bounds and rows by products with their Hessian.", "face_steps rows_products"),
 ("polyhedral_interior", "Convex quadratics over bounds and rows by an interior point method, and its linear systems.", "rows_systems rows_interior"),
 ("turnover_qp", "Convex quadratics over bounds and rows with a turnover constraint, and its linear oracle.", "traded_filling traded_interior traded_qp"),
 ("singular", "The largest singular value: Lanczos bidiagonalisation, and upper bounds with a proof.", "golub_kahan norm_proofs growth_proof"),
 ("matrix_models", "Quadratic models of functions of matrices, and the methods that minimise them.", "anderson limited_memory matrix_quadratics matrix_models"),
 ("softmax", "Logistic and cross-entropy terms in one pass, the Hessian of cross-entropy, and its intercepts.", "logistic softmax softmax_hessian class_intercepts"),
 ("data_passes", "Passes over data: large products, observed entries, rows of a shard, columns of a sparse matrix.", "products observed shard_rows sparse_columns"),
])
plan("points", [
 ("arrays", "Arrays, dense or sparse: checks of given data, columns of designs, norms that do not overflow.", "arrays lengths given columns"),
 ("iterate", "Points of the hull as atoms and weights, and the moves that change them.", "work active mixture products iterate"),
 ("coordinate_iterate", "Points by their coordinates alone, their positions and running means.", "coordinate_iterate position average"),
 ("direction", "Directions in which a point can move: symbolic ones, and a few orthonormal ones.", "direction frames"),
 ("views", "Views that follow a moving point: its image under a design, its coordinates, its expansion.", "asked_at image coordinates expanded"),
 ("blocks", "Blocks of atoms of any shape, and how a saved state is read back.", "states blocks"),
 ("validate", "Checks of what oracles return, before it enters a solve.", "entering"),
])
PLAN["points/shapes.py"] = ("The shapes of atoms, singly and in blocks: unit vectors, sparse vectors, arrays, matrices of rank one.", [f"points/shapes/{p}.py" for p in "dense basis sparse rank_one __init__".split()])
plan("theory", [
 ("bound", "Bounds and constants with their status, the arguments of bounds, and lists of bounds.", "bound arguments table listed"),
 ("rates", "Error recursions and the rates of Theorem 2 and its relatives, and what cannot be beaten.", "recursion rates lower interior equivalence"),
 ("jones", "What is proved of Jones' choice: constants, pairwise steps, variance reduction.", "jones pairwise reduced"),
 ("stochastic", "Stochastic Jones and Frank-Wolfe: expected errors, batches that grow, their rates.", "expect expected growing_weights batch_schedules stochastic"),
])
plan("measures", [
 ("terms", "Constants of the terms of a sum over a set: noise, Lipschitz constants, norms.", "reach noise steepness violation term_constants"),
 ("constants", "The constants that bounds are made of, for one objective over one set.", "spread width constants"),
])
PLAN["points/aligned.py"] = ("Labels of frames and series: arrays in the order of other labels.", ["points/aligned.py", "points/aligned.py"])
