import runpy
PLAN = {}; RENAMES = {("remote/worker.py", "SAMPLED"): "SEEN"}
def add(pkg, target, doc, *parts):
    pre = pkg + "/" if pkg else ""
    PLAN[pre + target + ".py"] = (doc, [pre + p + ".py" for p in parts])
def plan(pkg, rows):
    for target, doc, parts in rows: add(pkg, target, doc, *parts.split())
plan("atoms", [
 ("base", "The base class of sets of atoms, and of their oracles.", "sizes generator oracle_base closed_oracle base"),
 ("arguments", "Checks of what a set is given: numbers, shapes, points, groups, graphs.", "arguments graph labels"),
 ("neighbours", "Atoms next to the best one: by scores, by swaps, or remembered from earlier calls.", "scores neighbours swaps remembered"),
 ("budget", "Sets that are a budget on coordinates, many small ones in two arrays, and atoms that belong to a set.", "budget geometry/segments belonging"),
 ("simplex", "The simplex, weights that sum to a total, and the capped simplex, weights that sum to at most one.", "simplex capped_simplex"),
 ("bounded_simplex", "The simplex with bounds on its weights, and the hypersimplex.", "bounded_simplex hyper_simplex"),
 ("grouped_simplex", "The simplex with caps on groups.", "geometry/grouped_region grouped_simplex"),
 ("turnover_simplex", "The simplex with caps on groups and a turnover constraint.", "geometry/traded_region turnover_simplex"),
 ("l1_ball", "The l1 ball and its non-negative part.", "positive_l1_ball l1_ball"),
 ("lp_ball", "The Euclidean ball and the other lp balls.", "l2_ball lp_ball"),
 ("box", "The box and the l-infinity ball.", "geometry/box_corners geometry/faces box linf_ball"),
 ("k_sparse", "The K-sparse polytope and the ball of the k-support norm.", "geometry/subsets geometry/sparse_region k_sparse k_support"),
 ("group_l1_ball", "The group l1 ball: few groups of coordinates.", "geometry/group_ball_region group_l1_ball"),
 ("birkhoff", "Doubly stochastic matrices: mixtures of permutations.", "geometry/birkhoff_region birkhoff"),
 ("combinatorial", "Sets whose atoms are 0/1 structures found by an algorithm, and spanning trees.", "combinatorial spanning_tree"),
 ("path_polytope", "Paths from one node of a graph to another, and their mixtures.", "shortest_path geometry/path_mixtures path_polytope"),
 ("polyhedron", "A polytope by its rows and bounds, its extent, and dual bounds.", "linear/rows linear/dual_bound linear/extent"),
 ("lp_oracle", "The linear oracle of a polytope: a HiGHS model that is kept between calls, and vertices of a basis.", "linear/model linear/vertex linear/oracle"),
 ("linear_program", "Bounded polytopes by their rows: linear programs and transport plans.", "linear/implied linear/reading linear/polytope linear_program transport"),
 ("regions", "Sets in coordinates, for Newton steps: boxes, balls, bounded simplices, polytopes by rows.", "geometry/regions geometry/rows_region"),
 ("geometry", "Geometry of sets from their oracles: nearest points, quadratic forms, ranges of rows.", "geometry/form geometry/row_ranges geometry/nearest_point"),
 ("vertices", "The hull of given points.", "geometry/nearest_mixture geometry/farthest_pair geometry/enclosing_ball vertices"),
 ("wrapped", "Sets that wrap an oracle: functions, caches, oracles that err on purpose.", "from_function wrapped cached inexact"),
 ("mapped", "Scaled and translated sets.", "mapped scaled translated"),
 ("joined", "Products and Minkowski sums of sets.", "joined product sum"),
 ("spectrahedron", "Positive semidefinite matrices of given trace.", "eigen_oracle spectrahedron"),
 ("matrix_descent", "Descents over nuclear balls and spectrahedra: factors and projected gradients.", "geometry/factor_descent geometry/dense_descent"),
 ("matrix_splitting", "Quadratics over a nuclear ball: splitting, Newton steps, minima inside the ball.", "geometry/idle geometry/splitting geometry/newton_descent"),
])
plan("objectives", [
 ("accuracy", "What limits the accuracy of f: scale, rounding, gradient errors, distance from convexity.", "relative gradient_error form_rounding concavity"),
 ("composite", "Objectives f(w) = φ(Aw): a loss after a design.", "inside composite whole_hessian"),
 ("limits", "Known lower bounds of f, and values and gradients that are less than float64.", "least coarse"),
 ("quadratic", "Quadratics ½wᵀQw − bᵀw, by their matrix or by factors.", "quadratic factored"),
 ("black_box", "Objectives that are functions on arrays: f with its gradient, and means of n terms.", "black_box finite_sum"),
 ("minibatches", "Minibatches of finite sums.", "sampler batch"),
 ("lines", "f on a segment, and searches on it.", "line costly_line expanded_line"),
 ("expansion", "Objectives that return value, gradient and Hessian in one call.", "expansion expanded_small"),
 ("restricted", "f on the hull of a few atoms: what a corrective round minimises.", "trial small_base restricted by_products"),
 ("ridge", "Losses of linear models from their data, with and without a ridge (l2/2)‖w‖².", "ridge ridged_small ridged ridged_matrices loss_model"),
 ("completion", "Matrix completion: a matrix from some of its entries.", "matrix_model squared_entries completion"),
 ("multinomial", "Several classes or responses on few atoms: multinomial regression and squares.", "softmax_small multinomial squared_responses"),
 ("by_name", "The public objectives with targets: least_squares, logistic, hinge and the others.", "smooth_by_name kinked_by_name by_name"),
 ("losses/base", "What separable losses share: sums with sample weights, lines, rounding; the best intercept as a root.", "losses/root losses/base"),
 ("losses/smooth", "Smooth losses: squared, logistic, squared hinge, Huber, Poisson, powers, negative log.", "losses/squared losses/logistic losses/squared_hinge losses/huber losses/poisson losses/power losses/negative_log"),
 ("losses/piecewise", "Piecewise linear losses: hinge, absolute, quantile, epsilon-insensitive.", "losses/kinks losses/piecewise losses/absolute losses/hinge losses/quantile losses/epsilon_insensitive"),
 ("losses/intercepts", "Losses minimised over an intercept, and smoothed piecewise linear losses.", "losses/profiled losses/balanced losses/softened"),
 ("losses/softmax", "Cross-entropy of several classes, with and without intercepts.", "losses/softmax losses/softmax_intercepts"),
 ("designs/stored", "Designs that store data: dense, sparse, behind an operator, the identity.", "designs/base designs/counted designs/identity designs/dense designs/sparse designs/operator"),
 ("designs/derived", "Designs made from others: centred rows, factors of a quadratic, a user's design that is checked.", "designs/centred designs/factored designs/inspected"),
 ("designs/matrix", "Designs whose points are matrices: observed entries, several responses.", "designs/picked_columns designs/task_columns designs/observed designs/tasks"),
])
def moved(new, old, rows):
    for target, doc, parts in rows:
        PLAN[f"{new}/{target}.py"] = (doc, [f"{old}/{p}.py" for p in parts.split()])
moved("data", "objectives/shards", [
 ("__init__", "Data in pieces: files by pattern and format, or a function that loads them.", "__init__"),
 ("files", "Files by pattern, in blocks of lines, and whether they have changed.", "reading marks numbered text_blocks collection found"),
 ("columns", "Columns by name, and checks of the rows that were read.", "rows wanted schema"),
 ("arrays", "Matrices in NPY and NPZ files, dense or sparse.", "array_header sparse_file npy npz"),
 ("text", "CSV and LIBSVM files in blocks of whole lines.", "csv_text libsvm_lines libsvm"),
 ("arrow", "Parquet and Arrow files.", "columnar arrow parquet"),
 ("shards", "`gh.shards`: files, or a function, as data in pieces.", "loader call"),
])
moved("remote", "objectives/sharded", [
 ("__init__", "Objectives over shards, and the executors that compute them.", "__init__"),
 ("executors", "Executors: this process, several processes, and how work is divided among them.", "trip bundles serial processes"),
 ("cluster", None, "cluster"),
 ("rows", "The rows of a shard as a design, a few of its columns, and a loss on one shard.", "picked rows part"),
 ("worker", "What a worker does with its shards: load, pack and recognise them.", "fingerprint packed worker"),
 ("tasks", "Tasks over the rows of an objective: expansions, minibatches, Gram matrices.", "task expand batches gram"),
 ("summary", "The first pass over all shards, what it found, and rounding errors of their sums.", "facts first_look rounding"),
 ("intercepts", "The best intercept over shards, for smooth and nonsmooth losses.", "intercepts balanced"),
 ("kinked", None, "kinked"),
 ("model", "Losses of linear models over shards.", "model by_name"),
])
