"""
What is on the ground?
======================

A scene of 60 × 80 pixels in 40 bands, with a river, fields and a town, seen through noise. Each pixel is a mixture of four
known spectra, with shares that are non-negative and sum to one. All 4800 problems are solved together, and each has a
certificate: how far its error is from the least one is proved.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedyhull.apps import unmix

rng = np.random.default_rng(0)
rows, columns, bands = 60, 80, np.linspace(0.4, 2.4, 40)
names = ["water", "grass", "soil", "roof"]
edge = 1 / (1 + np.exp(-30 * (bands - 0.72)))  # where leaves begin to reflect
endmembers = np.array([0.08 * np.exp(-2 * (bands - 0.4)), 0.05 + 0.45 * edge * np.exp(-0.7 * (bands - 0.7)),
                       0.1 + 0.15 * (bands - 0.4), 0.32 + 0.06 * np.sin(4 * bands)])

y, x = np.mgrid[:rows, :columns]
bank = np.abs(y - 30 - 8 * np.sin(x / 12))
truth = np.zeros((rows, columns, 4))
truth[..., 0] = np.clip(1.5 - bank / 4, 0, 1)
fields = (np.sin(x / 9) * np.cos(y / 7) > 0) * 0.7 + 0.15
truth[..., 1], truth[..., 2] = (1 - truth[..., 0]) * fields, (1 - truth[..., 0]) * (1 - fields)
town = np.exp(-((x - 62) ** 2 + (y - 12) ** 2) / 90) * (rng.random((rows, columns)) < 0.8)
truth = truth * (1 - town[..., None]) + town[..., None] * np.eye(4)[3]
image = truth @ endmembers + 0.01 * rng.standard_normal((rows, columns, 40))

found = unmix(image, endmembers, names=names)
print(found)

# %%
# The answer: a map of each material. On the right the errors of the spectra, which are noise where the four spectra suffice.

off = np.abs(found.abundances - truth).mean()
figure = found.plot()
figure.suptitle(f"{rows * columns} pixels: shares are off by {100 * off:.1f} points on average; largest gap "
                f"{found.gaps.max():.0e}, proved")
plt.show()
