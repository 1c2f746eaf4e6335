"""Mutants: changes that break a promise of the library, and the tests that must notice them.

``old`` occurs exactly once in its file, and is as short as that allows; every one of the ``tests`` must fail once ``new``
stands in its place. When a line here is no longer true, because the code has changed, plant the same fault in the new code.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """One fault: ``file`` is in src/greedyhull."""

    promise: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


IMAGE = "tests/points/test_image.py"
BATCH = "tests/driver/batch"
ROUNDING = f"{IMAGE}::test_the_rounding_told_is_at_least_what_many_moves_have_done"
RETURNED = f"{IMAGE}::test_the_value_returned_is_that_of_the_point_returned"
EXACT = "tests/test_honesty.py::test_lower_bounds_are_true_to_the_last_digit"
INEXACT = "tests/atoms/test_inexact.py"
HIDDEN = f"{INEXACT}::test_a_point_that_the_oracle_takes_for_the_best_is_not_certified_as_the_best"
SLACK = f"{INEXACT}::test_every_solver_counts_the_slack"
ADMISSIBLE = f"{INEXACT}::test_answers_are_admissible_and_no_better_than_needed"
DRIFTED = ("tests/driver/test_certificate.py::"
           "test_an_iterate_whose_weights_have_drifted_is_certified_as_the_point_that_it_stands_for")
REFRESHED = "tests/points/test_iterate.py::test_refreshing_makes_weights_sum_to_one_and_views_exact"
LISTED = "tests/solvers/parts/looks/test_minibatch.py::test_atoms_that_are_listed_have_the_better_of_two_published_bounds"
HOEFFDING = "tests/solvers/parts/looks/test_minibatch.py::test_atoms_that_are_not_listed_have_the_bound_of_hoeffding"
STUDENT = "tests/solvers/parts/looks/test_minibatch.py::test_where_nothing_is_known_of_the_terms_it_is_a_t_interval"
AZUMA = "tests/solvers/parts/looks/test_regret.py::test_what_chance_may_add_is_the_bound_of_azuma"
SPREAD = "tests/solvers/parts/looks/test_regret.py::test_minibatches_are_told_to_spread_less"
COST = "tests/objectives/test_smoothing.py::test_what_is_left_of_the_residuals_sum_is_part_of_the_cost"
SMOOTH = "tests/objectives/test_smoothing.py::test_no_lower_bound_of_a_run_lies_above_the_minimum"
STILL = "tests/driver/test_standing.py::test_a_run_that_stands_still_ends_and_says_so"
COUNTING = "tests/driver/test_standing.py::test_an_oracle_that_counts_its_questions_does_not_keep_a_run_going"
MOVING = "tests/driver/test_standing.py::test_a_run_whose_value_stays_and_whose_point_moves_goes_on"
LEAVING = "tests/driver/test_guard.py::test_a_solver_that_leaves_the_set_is_caught"
WEIGHTS = "tests/driver/test_guard.py::test_weights_that_are_none"
OUTSIDE = "tests/driver/test_guard.py::test_a_point_outside_names_solver_and_set"
DRIFT = "tests/driver/test_guard.py::test_a_view_that_goes_wrong_is_noticed_and_the_atoms_count"
ZEROS = "tests/points/test_entering.py::test_atoms_that_are_equal_have_one_name_whatever_the_sign_of_their_zeros"
TAKEN = "tests/driver/test_guard.py::test_weight_that_a_point_does_not_have_cannot_be_taken"
ROOM = "tests/driver/test_run.py::test_a_bound_of_another_point_leaves_room_for_the_rounding_of_this_value"
PERHAPS = "tests/points/test_entering.py::test_what_an_answer_promises"
PROMISES, PROOFS = "tests/extend/test_probability.py", "tests/extend/test_proves_on_demand.py"
ONCE = f"{PROMISES}::test_every_answer_that_was_compared_counts_once"
TWICE = f"{PROMISES}::test_a_resumed_run_counts_none_twice"
CHANCE = f"{PROMISES}::test_the_chance_of_samples_is_added"
ONE = f"{PROMISES}::test_from_one_on_nothing_is_promised"
FLOORS = f"{PROMISES}::test_floors_that_may_fail_count_too"
BITS = f"{PROOFS}::test_a_resumed_run_goes_on_bit_by_bit"
SAME = f"{PROOFS}::test_a_proof_is_not_asked_for_again_by_a_resumed_run"
SELDOM = f"{PROOFS}::test_proofs_that_fall_short_are_asked_for_less_and_less_often"
ENDED = f"{PROOFS}::test_a_run_that_ends_is_proved"
FLIPPED = "tests/driver/test_inspection.py::test_a_wrong_gradient_is_refused"
OTHER_SET = "tests/driver/test_resume.py::test_with_another_set"
OTHER_F = "tests/driver/test_resume.py::test_with_another_objective"
OWN_SET = "tests/driver/test_resume.py::test_a_users_set_goes_on_bit_by_bit_and_finds_its_bound_anew"
NUMBERED = "tests/driver/test_resume.py::test_rows_that_are_numbered_otherwise_are_told_apart"
DAMAGED = "tests/driver/test_saved.py::test_every_change_of_a_state_is_noticed"
ERRORS = "tests/extend/test_gradient_error.py"
ROUGHLY = f"{ERRORS}::test_the_true_error_is_within_every_gap"
HIDES = f"{ERRORS}::test_a_point_that_the_rounded_gradient_takes_for_the_best_is_not_certified_as_the_best"
MEAN = f"{ERRORS}::test_the_mean_of_linearisations_has_the_slack_of_each"
UNSIZED = f"{ERRORS}::test_where_the_sizes_of_atoms_are_estimated_so_is_the_bound"
SLID = "tests/extend/test_slide.py::test_what_does_not_lower_f_is_left"
ASTRAY = "tests/extend/test_slide.py::test_what_is_no_point_of_the_set_is_refused_in_words"
SEARCHED = "tests/extend/test_slide.py::test_a_set_without_a_formula_is_searched_at_the_end"
KEPT = "tests/driver/test_minimize.py::test_the_best_bound_is_kept_with_what_it_promises"
MANY = "tests/driver/test_minimize.py::test_a_small_gap_is_reached_after_many_moves"
BACK = "tests/solvers/parts/test_memory.py::test_values_come_back"
PRODUCT = "tests/extend/test_product.py"
OWNERS_SUM = "tests/points/test_owners.py::test_refreshing_makes_the_weights_of_each_owner_sum_to_one"
OWNERS_SEEN = "tests/points/test_owners.py::test_the_guard_looks_at_every_owner"
OWNERS_COUNTED = "tests/points/test_owners.py::test_the_guard_counts_owners"
OWNERS_WITHIN = "tests/points/test_owners.py::test_weight_moves_within_an_owner_only"
TRIED = "tests/driver/test_ending.py::test_a_gap_that_never_closes_is_tried_a_few_times_only"
WAITING = "tests/solvers/parts/test_working_set.py::test_atoms_that_wait_in_vain_leave"
FEWER = "tests/driver/test_fewer_atoms.py::test_what_is_not_the_same_point_is_left_with_a_warning"
TWO = "tests/driver/test_fewer_atoms.py::test_the_same_point_in_two_atoms"
ARRAYS = "tests/points/test_gradients.py::test_a_set_is_asked_with_arrays_unless_it_says_that_it_takes_more"
FINITE = "tests/points/test_gradients.py::test_what_is_not_finite_is_seen"
SIGNS = "tests/points/test_blocks.py::test_zeros_of_either_sign_are_one_number"
OWNER = "tests/points/test_blocks.py::test_what_is_registered_is_looked_at"
MOVES = "tests/points/test_iterate.py::test_any_moves_keep_a_distribution_and_the_coordinates"


JONES = "yield Progress.of(w, f.gradient_dot(w) - answer.atom.dot(g), "  # stands before the answer, in three solvers


def forgotten(solver: str, old: str, after: str = "", end: str = "") -> Mutant:
    """A bound of an answer as if it had no slack; ``after`` stands before it where the line occurs more than once."""
    name = old.split(",")[0].split(")")[0]
    before = f"{after}{JONES}" if after else ""
    return Mutant("the slack is part of the bound", f"{solver}.py", before + old + end,
                  before + old.replace(name, f"{name}._replace(slack=0.0)") + end, (SLACK,))


MUTANTS = (
    # rounding
    Mutant("an image counts its moves", "points/views.py", "        self.moves += 1\n", "", (ROUNDING, RETURNED)),
    Mutant("an image counts moves that were foreseen", "points/views.py", "self.z, self.moves = seen.x, 0 if step == 1.0 else self.moves + 1",
           "self.z, self.moves = seen.x, 0", (ROUNDING, RETURNED)),
    Mutant("rounding is part of a gap underway", "driver/run.py", "p.gap + self.rounding", "p.gap", (EXACT,)),
    Mutant("rounding is part of a certificate", "driver/certificate.py", "- lowest.lower + rounding + slack", "- lowest.lower + slack",
           (EXACT,)),
    Mutant("views are refreshed where rounding stands in the way", "driver/run.py", "self.w.refresh()  # much", "pass  # much", (MANY,)),
    Mutant("refreshed weights sum to one", "points/iterate.py", "        self.weights[:] = normalised(self.weights, self.owners)\n", "",
           (REFRESHED, DRIFTED)),
    Mutant("a certificate is about a point of the hull", "driver/certificate.py", "        copy.refresh()\n", "        pass\n",
           (DRIFTED,)),
    Mutant("an intercept known to rounding is part of what smoothing costs", "objectives/smoothing.py",
           "            error += abs(float(r.sum(dtype=np.float64)))", "            error += 0.0", (COST, SMOOTH)),
    # slack
    Mutant("the slack is part of a floor", "atoms/base.py", "dot(g)) - answer.slack", "dot(g))", (HIDDEN,)),
    Mutant("the slack is part of the bound", "solvers/parts/progress.py", "(point, estimate + answer.slack,",
           "(point, estimate,", (SLACK,)),
    Mutant("the slack is told", "solvers/parts/progress.py", "answer.kind, answer.slack, tolerance", "answer.kind, 0.0, tolerance",
           (SLACK,)),
    Mutant("the error of a gradient is part of a gap underway", "driver/run.py", "+ self.rounding + self.gradient_slack",
           "+ self.rounding", (ROUGHLY,)),
    Mutant("the error of a gradient is part of a certificate", "driver/certificate.py", "rounding + slack, 0.0)",
           "rounding, 0.0)", (ROUGHLY, HIDES)),
    Mutant("the error of a gradient counts at both ends", "objectives/accuracy.py", "float(2.0 *", "float(0.4 *",
           (ROUGHLY,)),
    Mutant("a mean of linearisations has the error of each", "solvers/aggregated.py", " - gradient_slack(f, w, self.S))", ")",
           (MEAN,)),
    Mutant("sizes that are estimated make a bound an estimate", "driver/certificate.py", "f.traits.exact_gradient or S.sized",
           "S.shape", (UNSIZED,)),
    forgotten("solvers/lu_freund", "answer, also="),
    forgotten("solvers/frank_wolfe", "answer, tolerance="),
    forgotten("solvers/jones", "answer, tolerance=", after="0.0 if exact else epsilon)\n            "),
    forgotten("solvers/jones", "answer, tolerance=epsilon)"),
    forgotten("solvers/corrective", "found)\n"),
    forgotten("solvers/pairwise", "answer, tolerance="),
    forgotten("solvers/jones", "answer, tolerance=", after="oracle.argmin(g, tol=epsilon)\n            ",
              end="epsilon, also=joint_errors(memory))"),
    forgotten("solvers/parts/gap_evaluation", "answer, also="),
    Mutant("the slack is part of the bound", "solvers/aggregated.py", "estimate + answer.slack,", "estimate,", (SLACK,)),
    Mutant("the slack is part of the bound", "solvers/parts/gap_evaluation.py", "self.total - answer.atom.dot(g) + answer.slack",
           "self.total - answer.atom.dot(g)", (SLACK,)),
    Mutant("the slack is part of the bound", "solvers/parts/gap_evaluation.py", "parts.mean()) + answer.slack", "parts.mean())",
           (SLACK,)),
    Mutant("the slack is part of the bound of a sample", "solvers/parts/gap_evaluation.py",
           "(g, x)) - answer.atom.dot(g) + answer.slack", "(g, x)) - answer.atom.dot(g)",
           (f"{INEXACT}::test_a_sample_of_a_sum_counts_the_slack",)),
    Mutant("an inexact oracle errs by no more than it may", "atoms/wrapped.py", "        return epsilon\n",
           "        return 2.0 * epsilon\n", (ADMISSIBLE,)),
    Mutant("an inexact oracle errs by as much as it may", "atoms/wrapped.py", "        return epsilon\n",
           "        return 0.5 * epsilon\n", (ADMISSIBLE,)),
    # chance
    Mutant("each of two bounds gets half of the probability (Bernstein's deviation)", "solvers/parts/gap_evaluation.py",
           "deviation = sqrt(2.0 * log(4.0 / delta)", "deviation = sqrt(2.0 * log(1.0 / delta)", (LISTED,)),
    Mutant("each of two bounds gets half of the probability (Bernstein's range)", "solvers/parts/gap_evaluation.py",
           "14.0 * C * log(4.0 / delta)", "14.0 * C * log(1.0 / delta)", (LISTED,)),
    Mutant("each of two bounds gets half of the probability (Hoeffding)", "solvers/parts/gap_evaluation.py", "log(2.0 / delta) / b), bern",
           "log(1.0 / delta) / b), bern", (LISTED,)),
    Mutant("the range of Bernstein's bound is 2C", "solvers/parts/gap_evaluation.py", "14.0 * C", "7.0 * C", (LISTED,)),
    Mutant("Hoeffding's bound is as wide as it must be", "solvers/parts/gap_evaluation.py", "gap += C * sqrt(2.0", "gap += C * sqrt(0.5",
           (HOEFFDING,)),
    Mutant("looks of samples share the probability", "solvers/parts/gap_evaluation.py",
           "now.array(), spent_on(self.config.delta, self.count)", "now.array(), self.config.delta", (LISTED, HOEFFDING, STUDENT)),
    Mutant("looks at the regret share the probability", "solvers/parts/gap_evaluation.py",
           "failing = spent_on(self.config.delta, self.count)", "failing = self.config.delta", (AZUMA, SPREAD)),
    Mutant("Azuma's bound is as wide as it must be", "solvers/parts/gap_evaluation.py", "sqrt(2.0 * log(1.0 / failing)",
           "sqrt(0.5 * log(1.0 / failing)", (AZUMA, SPREAD)),
    Mutant("a spread that is not told is the worst", "solvers/parts/gap_evaluation.py",
           "share = weight * spread", "share = weight * min(spread, 1.0)", (AZUMA,)),
    # what is kept
    Mutant("a bound that is no better does not displace one that promises more", "driver/run.py",
           "if again or value - gap > memory.lower:", "if again or value - gap >= memory.lower:", (KEPT,)),
    Mutant("the best bound is kept", "driver/run.py", "if again or value - gap > memory.lower:",
           "if again or value - gap < memory.lower or memory.lower == -inf:", (KEPT,)),
    Mutant("a bound is resumed with its kind", "solvers/parts/solver_state.py", "KINDS[int(state[\"kind\"])]\n", "KINDS[0]\n", (KEPT, BACK)),
    Mutant("a bound is resumed with its delta", "solvers/parts/solver_state.py", "float(state[\"delta\"]), int", "0.0, int",
           (KEPT, BACK)),
    Mutant("a dense atom is known again", "points/shapes.py",
           "return self._add_row(self.key_of(atom), dense(", "return self._add_row(len(self), dense(", (MOVES,)),
    Mutant("what is not semidefinite is not handed out", "objectives/restricted.py", "return _semidefinite(self._hessian)",
           "return self._hessian", ("tests/objectives/test_by_products.py::test_what_is_not_semidefinite_is_not_handed_out",)),
    Mutant("a Hessian that has moved is made anew", "objectives/restricted.py", "if not off <= STALE *", "if not off <= 1e9 *",
           ("tests/objectives/test_by_products.py::test_a_hessian_that_has_moved_is_made_anew_and_one_that_has_not_is_kept",)),
    Mutant("atoms that wait in vain leave", "solvers/parts/working_set.py", "if len(self.alpha) > self.crowded *", "if len(self.alpha) > 1000 *",
           (WAITING,)),
    # how runs end
    Mutant("a run that stands still ends", "driver/finish.py", "before == self.print", "before != before", (STILL, COUNTING)),
    Mutant("a run that moves does not", "driver/finish.py", "before == self.print", "before == before", (MOVING,)),
    Mutant("a gap that never closes is not tried forever", "driver/finish.py", "return int(tries) <= 20", "return True",
           (TRIED,)),
    # what is certified
    Mutant("a point is checked before it is certified", "driver/finish.py",
           "    check_point(event.point, run.S, run.solver, event.iteration)\n", "", (LEAVING,)),
    Mutant("weights below zero are seen", "points/iterate.py", "if least < 0.0:", "if least < -9.0:", (WEIGHTS,)),
    Mutant("weights that do not sum to one are seen", "points/iterate.py", "abs(total - 1.0) >", "abs(total - total) >",
           (WEIGHTS,)),
    Mutant("atoms slide only where f falls", "solvers/parts/atom_refinement.py", "if target is None or not self._improves(w, target):", "if target is None:", (SLID,)),
    Mutant("atoms slide within the set", "solvers/parts/atom_refinement.py",
           "kept = all(S.contains_quickly(Iterate.at(d, S.shape)) for d in atoms)", "kept = True", (ASTRAY,)),
    Mutant("a point whose atoms slid is looked for in the set", "driver/checks.py", "(S.traits.slides or not w.keeps_atoms)",
           "(not w.keeps_atoms)", (SEARCHED,)),
    Mutant("a place outside is seen", "driver/checks.py", "if inside is not None and not inside and not _rounded", "if inside is not None and inside is None and not _rounded", (OUTSIDE,)),
    Mutant("a value that drifted is seen", "driver/checks.py", "if not abs(carried - value)", "if not abs(value - value)",
           (DRIFT,)),
    Mutant("a point in fewer atoms is the same point", "driver/finish.py", "if not off <= allowed:", "if off != off:",
           (FEWER,)),
    Mutant("a point in fewer atoms is certified anew", "driver/finish.py", "    now = _recomputed(run, fewer)\n",
           "    now = certificate\n", (TWO,)),
    Mutant("a set is asked with arrays unless it takes more", "points/gradients.py", 'S.traits.gradients == "dense"',
           'S.traits.gradients == "sparse"', (ARRAYS,)),
    Mutant("entries that are not finite are seen in sparse matrices", "points/gradients.py",
           "return bool(np.isfinite(_entries(g)).all())", "return True", (FINITE,)),
    Mutant("a kind has one owner", "points/blocks.py", "known is None or _home(known) == _home(restore)", "known is None or True", (OWNER,)),
    Mutant("zeros of either sign are one number", "points/arrays.py", "dtype=np.float64) + 0.0)", "dtype=np.float64))",
           (SIGNS,)),
    Mutant("no weight is taken from an atom that is not there", "points/iterate.py", "if not c > 0.0:", "if c != c:", (TAKEN,)),
    Mutant("a bound of another point leaves room for rounding", "driver/run.py", "max(value - memory.lower, 0.0) + self.rounding",
           "max(value - memory.lower, 0.0)", (ROOM,)),
    Mutant("answers that may fail make estimates", "points/validate.py", "and not 0.0 < delta < 1.0:", "and False:", (PERHAPS,)),
    # delta and proofs
    Mutant("delta is summed over the answers", "solvers/parts/solver_state.py", 
           "self.failure_probability + delta, self.k", "delta, self.k", (ONCE,)),
    Mutant("answers that are repeated count once", "solvers/parts/solver_state.py", "self._spent_at == self.k\n", "False\n", (TWICE,)),
    Mutant("the delta of a sum of samples is added", "driver/run.py", "held(bound.kind, bound.delta + memory.failure_probability)",
           "held(bound.kind, bound.delta or memory.failure_probability)", (CHANCE,)),
    Mutant("from one on nothing is promised", "driver/certificate.py", "if 0.0 < delta < 1.0 else", "if 0.0 < delta else", (ONE,)),
    Mutant("the end of a run counts its answers", "driver/finish.py", "memory.failure_probability += max(", "max(", (ONCE,)),
    Mutant("a proof for a stop counts", "driver/run.py", "        self.memory.failure_probability += p.answer.delta\n", "", (FLOORS,)),
    Mutant("a proof for a stop does not steer", "driver/run.py", "steers=False)", "steers=True)", (BITS,)),
    Mutant("the oracle does not notice a proof", "solvers/parts/solver_state.py",
           "self.inner.floor(g, tol), self.set)\n        self.inner.restore(before)\n", "self.inner.floor(g, tol), self.set)\n",
           (BITS,)),
    Mutant("a proof that is repeated is the same", "driver/certificate.py", "if memory.k == at and", "if False and", (SAME,)),
    Mutant("proofs that fall short are seldom", "driver/certificate.py", "max(1, run.memory.k // 2)", "1", (SELDOM,)),
    Mutant("an end is proved", "driver/finish.py", "None if run.open is None else run.proofs.at_end(run.open, event)", "None",
           (ENDED,)),
    Mutant("a gradient is compared with its value", "driver/run.py", "inspect_gradient(f, self.S, self.w, memory)", "pass",
           (FLIPPED,)),
    # several owners
    Mutant("the weights of each owner sum to one", "points/owners.py", "np.bincount(owners, weights=weights)[owners]", "weights.sum()",
           (OWNERS_SUM,)),
    Mutant("the guard looks at every owner", "points/iterate.py", "np.abs(w.totals - 1.0).argmax()", "0 * w.totals.argmax()", (OWNERS_SEEN,)),
    Mutant("an owner without atoms is seen", "points/iterate.py", "set(w.owners.tolist()) == set(range(said))", "True",
           (OWNERS_COUNTED,)),
    Mutant("weight moves within an owner", "points/owners.py", "check(not isinstance(d, Owned) or d.owner == owner,", "check(True,",
           (OWNERS_WITHIN, f"{PRODUCT}::test_a_solver_that_moves_weight_between_owners_is_told")),
    Mutant("the gap of a product is the sum over its owners", "points/owners.py", "float(least(scores, owners).sum())",
           "float(scores.min())", (f"{PRODUCT}::test_the_minimum_is_found_and_proved",)),
    Mutant("a shortlist has an atom of each owner", "points/validate.py", "set(block.owners.tolist()) == set(range(owners))", "True",
           (f"{PRODUCT}::test_shortlists_say_whose_their_atoms_are",)),
    Mutant("a vertex is resumed with all of its parts", "points/owners.py", "return next(vertices(block))", "return block[0]",
           (f"{PRODUCT}::test_a_saved_run_goes_on_bit_by_bit",)),
    # what is resumed
    Mutant("another set is seen", "driver/resume.py", '"the set": (self.S, saved.S)', '"the set": (b"", b"")', (OTHER_SET,)),
    Mutant("another objective is seen", "driver/resume.py", "self._data(saved): (self.f, saved.f)",
           'self._data(saved): (b"", b"")', (OTHER_F,)),
    Mutant("a set that cannot be compared keeps no bound", "driver/resume.py", "        _prove_anew(run, w.copy())\n",
           "        pass\n", (OWN_SET,)),
    Mutant("names of another set mean nothing", "driver/resume.py", "        block = S.recognised(w.block)\n        return", "        block = w.block\n        return",
           (NUMBERED,)),
    Mutant("damaged states are seen", "driver/checkpoint.py", "    check(sound, ", "    check(True, ", (DAMAGED,)),
    Mutant("a state gets its name once it is whole", "driver/checkpoint.py", 'path.with_name(path.name + ".part")', "path",
           ("tests/driver/test_saved.py::test_a_disk_that_fills_up_costs_a_warning_and_not_the_result",)),
    Mutant("two states are kept", "driver/checkpoint.py", "self.number][-2:]", "self.number][-1:]",
           ("tests/driver/test_generations.py::test_a_damaged_state_is_told_and_the_one_before_is_used",)),
    Mutant("two runs do not write to one folder", "driver/checkpoint.py", "fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH",
           ("tests/driver/test_generations.py::test_two_runs_do_not_write_to_one_folder",)),
    Mutant("data that changed are named", "cli/solve.py", 'fingerprint(data)["blake2b"] != about["blake2b"]', "False",
           ("tests/cli/test_resume.py::test_a_file_that_has_changed_is_named",)),
    Mutant("an archive is no larger than it is", "driver/checkpoint.py", "check(claimed <= ", "check(0 <= ",
           ("tests/driver/test_solution_file.py::test_an_archive_that_would_unpack_to_more_than_it_is_is_refused",)),
    Mutant("a trace keeps the rows where the gap halved", "driver/trace.py", "halved[1:] < halved[:-1]", "halved[1:] < -np.inf",
           ("tests/driver/test_trace.py::test_rows_that_words_figures_and_bounds_ask_for_are_kept",)),
    # many problems at once
    Mutant("rounding is part of every gap of a batch", "driver/batch/call.py", "without) + rounding\n", "without)\n",
           (f"{BATCH}/test_proofs.py::test_rounding_is_allowed_for",)),
    Mutant("a gap of a batch is about all coordinates", "driver/batch/call.py", "least = np.asarray(scores.min(axis=1))",
           "least = np.asarray(scores.mean(axis=1))", (f"{BATCH}/test_proofs.py::test_values_and_gaps_are_those_of_certify",)),
    Mutant("a coordinate that is left out of a problem stays zero", "driver/batch/call.py", "tol, without, near, first is None",
           "tol, 0 * without - 1, near, first is None",
           (f"{BATCH}/test_call.py::test_a_coordinate_can_be_left_out_of_each_problem",)),
    Mutant("a problem of a batch that misses its gap goes on by itself", "driver/batch/call.py",
           "still_open.append(part[~met])", "still_open.append(part[:0])",
           (f"{BATCH}/test_call.py::test_what_rounding_keeps_from_its_gap_has_a_run_of_its_own",)),
    Mutant("a problem that fails is told in its place", "driver/batch/call.py",
           "            record.fail(i, failed)\n", "            raise\n",
           (f"{BATCH}/test_call.py::test_one_that_fails_is_told_in_its_place_and_the_others_go_on",)),
    Mutant("a step of pairwise Jones removes the proved share of the error", "theory/jones.py", "kappa / (2 * counts(atoms",
           "kappa / (0.1 * counts(atoms", ("tests/theory/test_pairwise_jones_rate.py::"
                                           "test_the_rate_can_not_be_multiplied_by_twelve",)),
    Mutant("V is the variance of a mixture, not its second moment", "measures/constants.py", " - float(at.dot(Hw)), 0.0)", ", 0.0)",
           ("tests/theory/test_jones_rate.py::test_it_is_attained",)),
    Mutant("the model of variance-reduced Jones has the estimate as its gradient", "solvers/parts/joint.py",
           "eta * float(tilt[j])", "0.0",
           ("tests/solvers/test_variance_reduced_jones.py::test_the_atom_is_the_best_for_the_tilted_batch",)),
    Mutant("the constant of variance-reduced Jones is what its induction needs", "theory/jones.py", "6 * (L * D * D + c)",
           "5 * (L * D * D + c)", ("tests/solvers/test_variance_reduced_jones.py::test_the_rate_is_as_derived",)),
    Mutant("a shard whose file was written to is refused", "data/files.py", "found.st_mtime_ns == self.time", "True",
           ("tests/objectives/shards/test_marks.py::test_a_file_that_was_written_to_is_named_though_its_size_is_the_same",)),
    Mutant("marks see bytes, not only size and time", "data/files.py", "digest.update(stream.read(window))",
           "stream.read(window)",
           ("tests/objectives/shards/test_marks.py::test_a_file_that_was_written_to_is_named_though_its_size_is_the_same",)),
    Mutant("a wrong assignment is owned up to", "atoms/combinatorial.py", "return max(score - floor, 0.0)",
           "return 0.0 * max(score - floor, 0.0)", ("tests/atoms/test_birkhoff.py::test_a_wrong_assignment_is_owned_up_to",)),
    Mutant("a point that is put back into its set is certified as it is", "solvers/parts/working_set.py",
           "if far > np.finfo", "if far > 1e9 + np.finfo", ("tests/solvers/parts/test_hessian_products.py::"
           "test_a_point_that_is_put_back_into_the_set_is_certified_as_the_point_that_it_is",)),
    Mutant("NaN in a shard is refused", "data/columns.py", "if wrong.any():", "if False:",
           ("tests/objectives/shards/test_npy.py::test_what_is_wrong_is_said",)),
    Mutant("arrays of objects are refused before anything reads them", "data/arrays.py", 'dtype.kind != "O"',
           "True", ("tests/objectives/shards/test_npz.py::test_objects_are_never_unpickled",)),
    Mutant("indices of LIBSVM count alike in all files", "data/text.py", "first, highest = min(low for _, low, _ in layouts)",
           "first, highest = 1",
           ("tests/objectives/shards/test_libsvm.py::test_indices_count_alike_in_all_files",)),
    Mutant("a bound for weights that trade little counts the rounding of its costs", "kernels/turnover_qp.py",
           "min(64.0, 8.0 + len(x)) * EPS * size", "1e-3 * EPS * size",
           ("tests/kernels/test_traded_filling.py::test_no_bound_is_above_the_minimum_to_the_last_digit",)),
    Mutant("what QR loses of nearly dependent candidates is counted", "objectives/information.py", "+ 3.0 * p * moved",
           "+ 0.1 * p * moved", ("tests/objectives/test_information.py::"
                                  "test_a_bad_factorisation_makes_rounding_as_large_as_the_error",)),
    Mutant("a combination of steps that leads astray is taken back", "kernels/matrix_models.py", "not length <= self._least", "False",
           ("tests/kernels/test_anderson.py::test_a_longer_step_after_a_combination_is_taken_back",)),
    Mutant("rounding in single precision does not hide that f falls", "atoms/matrix_descent.py",
           "x if norm <= radius else x * (radius / norm)", "x",
           ("tests/atoms/geometry/test_newton_descent.py::test_steps_in_single_precision_stay_inside",)),
    Mutant("a ridge on classes is part of Newton's models", "objectives/ridge.py", "+= raised.dtype.type(l2)", "+= 0.0",
           ("tests/objectives/test_ridged_matrices.py::test_models_have_the_ridge",)),
    Mutant("labelled arguments are aligned by label", "points/aligned.py", "return thing.iloc[:, order] if last else thing.iloc[order]",
           "return thing", ("tests/test_labels.py::test_the_answer_does_not_depend_on_the_order_of_labels",
                            "tests/fuzz/test_fuzz.py::test_labels_that_are_ignored_are_found")),
    Mutant("labels of the objective are compared with those of the set", "points/aligned.py", "and mine != theirs", "and False",
           ("tests/points/test_aligned.py::test_objective_and_set_remember_labels_and_must_agree",)),
)
