"""What a reader of the printed paper should change, in the order of its pages."""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["slip", "constant", "condition", "proof", "false"]


class Misprint(NamedTuple):
    """One place of the paper, what stands there and what should."""

    where: str
    kind: Kind
    printed: str
    right: str


MISPRINTS = (
    Misprint("introduction, Jones' rule", "slip", "minimises f(ηw + (1 − η)d)", "minimises f((1 − η)w + ηd)"),
    Misprint("introduction, related work", "condition", "n^⅓ε⁻² stochastic gradients for finite sums",
             "That is what Reddi, Sra, Póczos and Smola (2016) state for a SAGA variant; we can prove it with batches of n^⅔ "
             "only. For smooth convex f growing batches need ε⁻³ gradients and ε⁻¹ oracle calls (Hazan and Luo 2016)."),
    Misprint("curvature, Bregman term", "slip", "∇f(y)(w − y)", "∇f(y)ᵀ(w − y)"),
    Misprint("curvature, comparison with Jaggi", "slip", "the two definitions differ",
             "For convex f they are equal: the term is convex in d, so its supremum over the hull is that over the atoms."),
    Misprint("curvature, second derivative", "slip", "∂f/∂η²", "∂²f/∂η²"),
    Misprint("Lemma 1(a) and its proof", "slip", "f(w)ᵀ(w − d)", "∇f(w)ᵀ(w − d)"),
    Misprint("Lemma 1(b), proof", "slip", "D_f with one argument", "its second argument is w"),
    Misprint("Lemma 2, proof", "slip", "ε_k in the first two lines; d_k inside a minimum over d′", "η_kε_k; d′"),
    Misprint("Theorem 1, proof", "slip", "ε_k/η_k → 0", "(η_kε_k + Mη_k²/2)/η_k → 0, for which ε_k → 0 is enough"),
    Misprint("Theorem 2, proof", "slip", "base case compared with the bound at a wrong index",
             "e₁ ≤ M/2 + c, below (2M + 4c)/3"),
    Misprint("Theorem 3", "false", "for any choice of steps",
             "for steps in [0, 1]; otherwise C = 1, e₀ = 2 with steps −1 and 2.5 gives e₂ = −1.25"),
    Misprint("Theorem 3", "constant", "a = min{e₀, C}, if e₀ ≤ 2C", "a = min{2e₀, 8C/3}, from any e₀ ≥ 0"),
    Misprint("Theorem 3, proof", "slip", "minimised at e/(4C)", "minimised at e/(2C); the minimum beside it is right"),
    Misprint("Theorem 4", "condition", "any step", "η_k > 0: at η_k = 0 every atom is a Jones atom"),
    Misprint("section 3, before Theorem 5", "slip", "step size √k", "step size k^−½"),
    Misprint("section 3, before Theorem 5", "constant", "error O(1/√t) at any iteration t",
             "the average has a factor ln t; the last iterate has none: E e_k ≤ √2 B/√k"),
    Misprint("Proposition 1", "constant", "the iterates do not converge",
             "True: the gap is ½ at every k ≥ 2. But their average converges there. With the first point doubled it does "
             "not: its gap is 9/640."),
    Misprint("Theorem 5", "slip", "w̄_k on the left, t on the right; b for b_k",
             "one index throughout; ε_k = cη_k in both parts"),
    Misprint("Theorem 5, proof", "proof", "u_k minimises f((1 − η_k)w_k + η_k d)",
             "u_k minimises ∇f(w_k)ᵀd; with the printed u_k the step to f* fails"),
    Misprint("Theorem 5", "constant", "DL + M with the curvature of every term",
             "r_Sσ + M with the curvature of f alone, r_S the radius around S and σ the deviation of the gradients"),
    Misprint("Algorithm ASFW", "slip", "∇f̃(w)", "∇f̃(w_k)"),
    Misprint("condition on E(d_k)", "condition", "implies O(1/k)", "with η_k = 2/(k + 2), and then E e_k ≤ (2M + 4c)/(k + 2)"),
    Misprint("Proposition 2, proof", "constant", "w_k = Y_k x; violation 4√2",
             "w_k = Y_k x/(2√2), since x is not feasible; the largest violation is 2 for the sum, 1 for the mean"),
    Misprint("Proposition 2, proof", "slip", "sgn(xᵀw − y) = sgn y; γ_i for η_k; k + 1 terms in Y_k",
             "−sgn y; η_k; k terms. The exponent of Hoeffding's bound is three times as large."),
    Misprint("Proposition 3", "false", "η_k arbitrary",
             "deterministic η_k with Ση_k = ∞, and η_k → 0 for the limit to exist; then it is r(8 − 5r)/18. With η_k = 0 "
             "and w₀ = w* there is no error, with η alternating 1 and ½ no limit."),
    Misprint("remark on ASFW", "constant", "constants not given",
             "(e₁ + r_Sσ + M/2 + c)/√t, also for the gap and for nonconvex f"),
    Misprint("Algorithm ARSFW, prose", "slip", "∇Φ aligns d with w_k − w₁; Φ(w₁) = 0",
             "it pulls back toward w₁; ∇Φ(w₁) = 0"),
    Misprint("Algorithm ARSFW, prose", "slip", "the online method has a fixed η_k",
             "its gradient weight is fixed, its step is not"),
    Misprint("Theorem 6", "condition", "p in [0, 1]; gradients", "p in [0, 1), since K is infinite at 1; subgradients"),
    Misprint("Theorem 6, proof", "false", "F_k has curvature 2R²/ρ, so e_k ≤ Kη_k",
             "curvature min(D², 8R²/ρ): λ + 3 takes the place of λ in K. The printed bound on e_k is exceeded more than "
             "threefold (see Lemma 4); the final bounds are true."),
    Misprint("Theorem 6, proof", "proof", "h_k is evaluated outside the hull; two factors L are missing",
             "h_k(w_k) − h_k(w*) ≤ g_kᵀ(w*_k − w*) + L‖w_k − w*_k‖, which stays inside and gives L where 3L stands"),
    Misprint("Theorem 6, proof", "slip", "g_k, F_k(w*), σ_k² = σ_k cη_k^{3/2}", "ḡ_k, F_k(w*_k), σ_k² ≤ σ_k cη_k^{3/2}"),
    Misprint("Theorem 6, second bound", "condition", "σ_k ≤ ck^−¾", "σ_k = ck^−¾; a factor c is dropped in a sum"),
    Misprint("Lemma 3", "constant", "2Σσ_k²‖g_k‖²/ρ + R²", "½Σσ_k²‖g_k‖²/ρ + Φ(w) − Φ(w₁), which is attained"),
    Misprint("Lemma 3", "slip", "sum to s − 1; X for the hull; Φ(w*_{k+1}) in the last display", "k − 1; W; Φ(w*_{s+2})"),
    Misprint("Lemma 4, proof", "slip", "third equivalence; σ_k² = c²η_k³", "an implication, after e_k ≤ Kη_k; σ_k² ≤ c²η_k³"),
    Misprint("throughout", "condition", "argmin over S",
             "an ε-argmin where S is not compact, which the approximate oracles cover"),
)
