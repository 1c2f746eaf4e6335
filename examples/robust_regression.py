"""
Can a regression ignore wild measurements, and prove that it is the best one?
=============================================================================

The sum of absolute errors does not care how far off a wild measurement is, but it has kinks, and methods that follow
gradients stop making sense there. ``Smoothed``, the default for such losses, rounds the kinks off, less and less, and
proves its point for the loss with kinks, not for the rounded one.
"""

import matplotlib.pyplot as plt
import numpy as np

import greedyhull as gh

rng = np.random.default_rng(1)
x = np.sort(rng.uniform(-3, 3, 120))
curve = np.sin(x) + 0.3 * x
y = curve + 0.15 * rng.standard_normal(120)
wild = rng.random(120) < 0.2
y[wild] += rng.uniform(2, 6, wild.sum())

# %%
# Forty bumps, a budget on their heights, and three losses.

centres = np.linspace(-3.5, 3.5, 40)
bumps = np.exp(-0.5 * ((x[:, None] - centres) / 0.7) ** 2)
S = gh.L1Ball(40, radius=4.0)
objectives = {
    "squares": gh.least_squares(bumps, y, intercept=True),
    "Huber": gh.huber(bumps, y, delta=0.3, intercept=True),
    "absolute values": gh.absolute(bumps, y, intercept=True),
}
fits = {name: gh.minimize(f, S, stop=gh.Gap(1e-7) | gh.Seconds(20)) for name, f in objectives.items()}
curves = {name: bumps @ s.point.array() + s.intercept for name, s in fits.items()}
for name, s in fits.items():
    off = np.sqrt(np.mean((curves[name] - curve) ** 2))
    print(f"{name:16s} {off:.3f} from the true curve, certified to {s.gap:.0e} in {s.iterations} iterations")

# %%
# How the gap of the loss with kinks closes, and what Frank-Wolfe makes of a loss that was rounded off once and for all.

f = objectives["absolute values"]
once = gh.minimize(f.smoothed(0.1), S, gh.FrankWolfe(), stop=gh.Iterations(300))
print(f"Rounded off by 0.1 once: value {gh.certify(f, S, once.point).value:.4f}, against {fits['absolute values'].value:.4f}.")

# %%
# The answer: yes. The fit by absolute values keeps to the points that belong to the curve.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4), layout="constrained", width_ratios=[3, 2])
left.plot(x[~wild], y[~wild], "o", color="0.7", ms=4, label="measurements")
left.plot(x[wild], y[wild], "x", color="C3", ms=5, label="wild ones")
left.plot(x, curve, "k:", label="the truth")
for name, colour in (("squares", "C1"), ("absolute values", "C0")):
    left.plot(x, curves[name], color=colour, lw=2, label=f"fit by {name}")
left.set(title="One fifth of the measurements are wild", xlabel="x", ylabel="y")
left.legend(frameon=False, fontsize=9, ncols=2, loc="upper left")
left.set_ylim(None, 9.5)
trace = fits["absolute values"].trace
right.semilogy(trace.iteration, trace.gap, "C0o-", ms=3)
right.set(title="Certified gap, absolute values", xlabel="iteration", ylabel="f(w) − min f is at most")
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
plt.show()
