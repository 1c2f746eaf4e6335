"""Runs of every kind for reports to be written about, and a browser to look at them."""

import json
import re
import shutil
import subprocess
import warnings
from html import escape, unescape

import numpy as np
import pytest

import greedyhull as gh

RNG = np.random.default_rng(3)
X = RNG.standard_normal((60, 12))
Y = 2.0 * X[:, 0] - X[:, 3] + RNG.standard_normal(60)
NAMES = [f"column {j}" for j in range(12)]


class Noisy:
    """The mean of ½‖w − ξ‖² over some ξ."""

    def __init__(self, xi):
        self.xi = xi

    def value(self, w):
        return float(((w - self.xi) ** 2).sum(axis=1).mean() / 2)

    def gradient(self, w):
        return w - self.xi.mean(axis=0)


def _runs():
    f, S = gh.least_squares(X, Y), gh.L1Ball(12, radius=2.0)
    stream = gh.expectation(lambda size, rng: Noisy(rng.standard_normal((size, 4))), 4)
    hills = gh.function(lambda w: -float(w @ w), lambda w: -2.0 * w, 4, convex=False)
    bent = gh.function(lambda w: float(w @ w), lambda w: 2.0 * w, 4)
    sampled, slow = gh.StochasticFrankWolfe, gh.FrankWolfe(gh.OpenLoop())  # exact steps are done before the warm start
    return {
        "always": gh.minimize(f, S, gh.FrankWolfe(), stop=gh.Iterations(120)),
        "open loop": gh.minimize(f, S, gh.FrankWolfe(gh.OpenLoop()), stop=gh.Iterations(120)),
        "chosen": gh.minimize(f, S),
        "warm": gh.minimize(f, S, slow, start=gh.minimize(f, S, slow, stop=gh.Iterations(20)).point, stop=gh.Iterations(60)),
        "stochastic": gh.minimize(f, S, sampled(), stop=gh.Iterations(150)),
        "probability": gh.minimize(f, S, sampled(look=gh.MinibatchGap(30, 0.05)), stop=gh.Iterations(150)),
        "expectation": gh.minimize(f, S, sampled(look=gh.Regret()), stop=gh.Iterations(150)),
        "stream": gh.minimize(stream, gh.L2Ball(4, radius=1.0), sampled(look=gh.Regret()), stop=gh.Iterations(150)),
        "stationary": gh.minimize(hills, gh.Box(-np.ones(4), np.ones(4)), gh.FrankWolfe(), stop=gh.Iterations(9)),
        "function": gh.minimize(bent, gh.Simplex(4), stop=gh.Gap(1e-6) | gh.Iterations(50)),
        "vertices": gh.minimize(gh.quadratic(np.eye(3), np.ones(3)), gh.Vertices(RNG.standard_normal((9, 3)))),
        "no step": gh.minimize(f, S, stop=gh.Iterations(0)),
        "single": gh.minimize(gh.least_squares(X.astype(np.float32), Y.astype(np.float32)), S, stop=gh.Iterations(30)),
    }


@pytest.fixture(scope="session")
def runs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gh.GreedyhullWarning)
        return _runs()


class Browser:
    """Headless Chromium."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, path, *options):
        """The page's DOM, and what was said on its console."""
        done = subprocess.run(
            [self.program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr",
             "--v=0", f"--user-data-dir={self.folder / 'profile'}", *options, path.as_uri()],
            capture_output=True, text=True, timeout=120, check=True)
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def measure(self, pages, widths, script, *options):
        """What ``script``, a JavaScript expression in ``doc``, is for every page at every width, by page and width."""
        frames = "".join(f'<iframe data-is="{escape(name)} {width}" style="width:{width}px;height:900px;border:0" '
                         f'srcdoc="{escape(page.read_text(encoding="utf-8"))}"></iframe>'
                         for name, page in pages.items() for width in widths)
        ask = ("onload = () => { const all = {}; for (const frame of document.querySelectorAll('iframe')) { "
               f"const doc = frame.contentDocument; all[frame.dataset.is] = {script}; }} "
               "document.body.innerHTML = '<pre></pre>'; document.querySelector('pre').textContent = JSON.stringify(all); }")
        sheet = self.folder / "sheet.html"
        sheet.write_text(f"<!DOCTYPE html><meta charset=utf-8><body>{frames}<script>{ask}</script>", encoding="utf-8")
        dom, console = self(sheet, "--dump-dom", *options)
        return json.loads(unescape(re.search(r"<pre>(.*?)</pre>", dom, re.DOTALL)[1])), console


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("Chromium is not installed, so pages cannot be looked at.")
    return Browser(program, tmp_path_factory.mktemp("browser"))
