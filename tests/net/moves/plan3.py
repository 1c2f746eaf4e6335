PLAN = {}; RENAMES = {}
def add(pkg, target, doc, *parts):
    pre = pkg + "/" if pkg else ""
    PLAN[pre + target + ".py"] = (doc, [pre + p + ".py" for p in parts])
def plan(pkg, rows):
    for target, doc, parts in rows: add(pkg, target, doc, *parts.split())
plan("solvers", [
 ("jones", "Jones: step toward the atom that minimises f itself; in pairs, and mixed with Frank-Wolfe steps.", "jones pairwise_jones mixed"),
 ("pairwise", "Frank-Wolfe with away and pairwise steps: AwayStep, Pairwise, BlendedPairwise, DecompositionInvariant.", "away_step pairwise blended_pairwise decomposition_invariant"),
 ("parts/working_set", "The working atoms of a corrective solver, the numbers it decides by, and float32 data.", "parts/corrective_numbers parts/precision parts/working_set parts/within_faces"),
 ("stochastic_jones", "Stochastic Jones, with growing batches or with variance reduction.", "stochastic_jones variance_reduced_jones"),
 ("storc", "STORC: stochastic variance-reduced conditional gradient sliding.", "parts/sliding storc"),
 ("lu_freund", "Lu and Freund's stochastic Frank-Wolfe for linear models, with a dual bound from samples.", "parts/sample_duals lu_freund"),
 ("regularized_stochastic_frank_wolfe", "Regularised stochastic Frank-Wolfe for nonsmooth f.", "parts/regularizers parts/gradient_weights parts/follow_the_leader regularized_stochastic_frank_wolfe"),
 ("smoothed", "Smoothed: nonsmooth losses by a smooth solver on a smoothed loss.", "parts/continuation smoothed"),
 ("gradients/momentum", "Gradients from minibatches: fresh ones, running means, recursive momentum.", "gradients/minibatch gradients/momentum gradients/storm"),
 ("gradients/variance_reduced", "Variance-reduced gradients: SAGA, SPIDER, SVRG, and duals of single samples.", "gradients/saga gradients/spider gradients/svrg gradients/dual"),
 ("parts/steps", "Step rules: how far to follow a line h(η) = f(w + ηv).", "parts/careful parts/steps parts/rules"),
 ("parts/schedules", "Schedules: numbers that depend on k or on the last gap, and batches that grow.", "parts/schedules parts/batch_sizes"),
 ("parts/needs", "What a solver requires of a problem, and which conditions of a theorem are not met.", "parts/needs parts/unmet"),
 ("parts/progress", "What a solver yields, and how far it may go before the driver evaluates its gap.", "parts/ahead parts/progress"),
 ("parts/joint", "The joint choice of a step and an atom (Jones): closed form for quadratics, else branch and bound.", "parts/joint/bracket parts/joint/choice parts/joint/closed_form parts/joint/search parts/joint/pairs parts/joint/__init__"),
 ("parts/joint_minibatch", "The joint choice for a minibatch, and for a model of f.", "parts/joint/minibatch parts/joint/model"),
 ("parts/looks", "When and how a stochastic solver has its point certified.", "parts/looks/gap parts/looks/timing parts/looks/choice parts/looks/range_bound parts/looks/base parts/looks/full parts/looks/minibatch parts/looks/regret parts/looks/__init__"),
 ("parts/compiled_rounds", "Corrective rounds in the compiled core, over budgets and in coordinates.", "parts/compiled_rounds parts/compiled_coordinates"),
 ("parts/compiled_stochastic", "Stochastic steps in the compiled core, between two evaluations of the gap.", "parts/drawn parts/engines parts/fused_steps"),
 ("parts/coordinate_rounds", "Corrective rounds in coordinates, in Python.", "parts/hessian_products parts/directions parts/coordinate_rounds"),
 ("parts/paths", "Budgets of many radii in the compiled core.", "parts/square_path parts/loss_path"),
])
plan("driver", [
 ("choose", "Which solver is used by default, and checks of solvers and stops.", "asked choose"),
 ("run", "One solve: the only loop that stops, times and records.", "proofs unseen run"),
 ("finish", "The end of a run: its point is checked, recomputed from its atoms and certified again.", "dual_bound fewer_atoms ending"),
 ("checks", "Checks of points and gaps before they are certified, and of what a user wrote.", "own guard inspection"),
 ("reason", "Why a run ended, and whether it stalls.", "words reason standing"),
 ("stop", "When to stop. Stops combine: ``Gap(1e-6) | Seconds(30)``.", "stop combined"),
 ("certificate", "Certificates: f(w) − min f ≤ gap, proved for any point of the hull.", "called mix_ups bound certificate"),
 ("solution", "What `minimize` returns, and its summary.", "summary solution"),
 ("resume", "How a saved run continues: the identity of its problem, and its state.", "digest identity resume"),
 ("checkpoint", "States on disk: one NPZ file, or a folder with two generations.", "saved saving generations"),
 ("state_schema", None, "sound"),
 ("path", "One problem over sets of many sizes.", "path_points path"),
 ("batch/problems", "What a batch is made of, what is known of each problem, and the progress line.", "batch/problems batch/shared batch/record batch/line"),
 ("batch/together", "How a batch is solved: together in the core, or one by one, with certificates.", "batch/proofs batch/together batch/one_by_one"),
 ("batch/solutions", "What `batch` returns, its file, and starts from it.", "batch/solutions batch/solutions_file batch/starts"),
 ("bounds/of_run", "Which of the paper's bounds hold for a finished run, with their numbers.", "bounds/by_values bounds/statements bounds/of_run"),
 ("bounds/record", "What a run left behind: values, certificates, steps, batches and constants.", "bounds/solved bounds/record bounds/mean/in_advance bounds/mean/record"),
 ("bounds/expected", "Which bounds hold in expectation for a finished stochastic run.", "bounds/mean/arsfw bounds/mean/asfw bounds/mean/asj bounds/mean/moreau bounds/mean/reduced bounds/mean/__init__"),
])
plan("estimators", [
 ("base", "What the estimators share: data, labels, folds, objective, solution, warnings and callbacks.", "caller convergence callbacks reports class_weights split labelled base"),
 ("linear", "Linear models whose coefficients lie in a set; also from shards, and with several targets.", "losses many_targets by_block over_shards linear"),
 ("simplex", "Weights that are non-negative and sum to a total.", "cardinality simplex"),
 ("budget", "The set of an l1 budget, and the radius that belongs to a penalty.", "budget_set penalty"),
 ("group_budget", "A budget on groups of features, given or chosen by cross-validation.", "group_budget group_budget_cv"),
 ("cv", "Radii chosen by cross-validation.", "scorers cv_choice cv_regressor cv_classifier l1_budget_cv l1_budget_classifier_cv"),
 ("l1_path", "Least squares over l1 balls of many radii.", "l1_path compiled_trail"),
 ("cv_paths", "Coefficients over a grid of radii, on all data and on each fold.", "figures cv_paths class_paths radius_path"),
 ("ensemble", "Weights for an ensemble of models.", "ensemble ensemble_regressor ensemble_classifier"),
 ("ensemble_models", "Predictions of the models of an ensemble, and selection for any metric.", "columns models out_of_fold seen selection"),
 ("matrix_completion", "A matrix from some of its entries, as an estimator.", "biases matrix_completion"),
])
plan("apps", [
 ("portfolios", "Portfolios under linear constraints, with the price of each.", "portfolios/assets portfolios/feasible portfolios/result portfolios/job portfolios/__init__"),
 ("synthetic_panel", "The panel of a synthetic control: labels, donors' weights, placebos.", "synthetic/labels synthetic/panel synthetic/placebos synthetic/fitting"),
 ("synthetic", "Synthetic controls: what would have happened without the treatment.", "synthetic/figure synthetic/summary synthetic/result synthetic/job synthetic/__init__"),
 ("optimal_design", "Which experiments to run, and how often: optimal designs.", "near_design optimal_design"),
])
plan("report", [
 ("words", "A solution in words: how good it is, and what it is made of.", "pages atoms certificate words"),
 ("figure", "Figures of a report as inline SVG.", "figure curves bars"),
 ("page", "The page about one solution.", "theorems rerun bounds_along split writing"),
])
plan("cli", [
 ("__init__", None, "__init__ exits"),
 ("console", "How the commands print, and where results are written.", "console outputs"),
 ("options", "Options that commands share, and suggestions for unknown names.", "meant usage options"),
 ("fit_commands", "The commands of ``greedyhull fit``, their options and checks.", "fit_checks fit_commands"),
 ("fit", "``greedyhull fit``: weights for the columns of a table, certified.", "result_file fit_directly fit_shards fit"),
 ("fit_jobs", "``greedyhull fit completion``, ``design`` and ``portfolio``.", "completion fit_design fit_portfolio"),
 ("problem_file", "The problem file: a TOML file that states what to minimise, over which set, and how.", "schema_errors schema problem_file"),
 ("names", "What the names in a problem file stand for.", "matrix_names names"),
 ("problem", "From a problem file to an objective, a set, a solver and a stop.", "sharded problem"),
 ("solve", "``greedyhull solve``, ``resume`` and ``certify``, and the files they write.", "solution_file kept_problem solve certify"),
 ("tables", "Tables from CSV, LIBSVM, NPZ and NPY files.", "libsvm formats tables"),
])
plan("testing", [
 ("atoms", "check_atoms: does a set keep its promises?", "asked set_trial set_sizes blocks representations owners atoms"),
 ("objectives", "check_objective and check_design: is f, or a design, what it states?", "lines designs objectives"),
 ("solvers", "check_solver and check_step: are certificates true, points feasible and steps on their line?", "interruptions steps solvers"),
 ("problems", "Small problems whose minima are known by other means.", "reference problems kinked"),
])
plan("experiments", [
 ("counterexamples", "The paper's counter-examples, and rates of related solvers, as experiments.", "measured asfw_eg_a asfw_eg_b asj_eg nonsmooth_rates variance_reduced_jones"),
 ("paper/problems", "The small problems that the experiments share, and solves as the experiments see them.", "paper/problems paper/trajectory paper/sampled paper/kinked paper/worst"),
 ("paper/page", "The page of all findings, in the order of the paper.", "paper/draw paper/misprints paper/registry paper/page"),
 ("paper/lemmas", "Lemmas 1 to 4, the curvature, and the two meanings of approximate.", "paper/statements/lemma1 paper/statements/lemma2 paper/statements/lemma3 paper/statements/lemma4 paper/statements/oracles paper/statements/curvature"),
 ("paper/theorems", "Theorems 1 to 4 and what follows from them.", "paper/statements/theorem1 paper/statements/theorem2 paper/statements/theorem3 paper/statements/theorem4 paper/statements/one_atom paper/statements/zhang paper/statements/interior"),
 ("paper/stochastic", "Theorem 5, stochastic Frank-Wolfe, expected atoms, and what an error costs.", "paper/statements/theorem5 paper/statements/asfw paper/statements/expect paper/statements/complexity"),
 ("paper/propositions", "Propositions 1 to 3, mixed updates, and the open questions.", "paper/statements/proposition1 paper/statements/proposition2 paper/statements/proposition3 paper/statements/mixtures paper/statements/open_questions"),
 ("paper/nonsmooth", "Functions on [−1, 1] with rare steep terms, and Theorem 6 on nonsmooth losses.", "paper/rare paper/bent paper/tolerant paper/leader_on_a_line paper/statements/theorem6"),
 ("paper/jones", "Jones' own constant, pairwise contraction, variance reduction, exact worst cases.", "paper/statements/jones_constant paper/statements/pairwise_contraction paper/statements/variance_reduction paper/statements/worst_cases"),
])
