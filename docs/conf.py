"""The site: ``sphinx-build -W -n docs build/docs``. MathJax and the fonts are copied into it,
so that nothing is fetched when a page is read.

The pages are Markdown that is also read where the code is hosted, so what only the site needs is added here: the tables
of contents, and links that leave this folder.
"""

import ast
import os
import re
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "Agg")

from pygments.lexers.special import TextLexer

import greedyhull

ROOT = Path(__file__).parents[1]
project, author = "greedyhull", "the greedyhull developers"
version = release = greedyhull.__version__
html_title = f"greedyhull {version}"

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx.ext.mathjax",
              "sphinx-mathjax-offline", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["**/GALLERY_HEADER.rst", "gallery/*.py", "gallery/*.ipynb", "gallery/*.md5"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

# Pages ------------------------------------------------------------------------------------------------------------------

myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
WHOLE = {"index": "README.md", "project/contributing": "CONTRIBUTING.md", "project/changes": "CHANGELOG.md"}  # kept elsewhere
PAGES = {ROOT / file: Path(page) for page, file in WHOLE.items()} | {ROOT / "examples": Path("gallery/index")}
KINDS = ("tutorials", "howto", "reference", "explanation", "gallery", "project")
CONTENTS = "\n".join(["\n```{toctree}", ":hidden:", "", *(f"{kind}/index" for kind in KINDS), "```\n"])


def complete(app, name, source):
    """Insert pages that are kept elsewhere in the repository, and turn links out of this folder into links inside the site."""
    text, home = source[0], ROOT / "docs" / Path(name).parent
    if name in WHOLE:
        text, home = (ROOT / WHOLE[name]).read_text(encoding="utf-8"), ROOT

    def inside(link):
        file = Path(os.path.normpath(home / link[1]))
        page = PAGES.get(file) or (Path("gallery") / file.stem if file.parent == ROOT / "examples" else None)
        if page is not None:  # the site knows it under another name
            target = page.with_suffix(".rst" if page.parts[0] == "gallery" else ".md")
        elif home == ROOT:
            target = Path(os.path.relpath(file, ROOT / "docs"))  # files beside docs/ are downloads
        else:
            return link[0]
        return f"]({Path(os.path.relpath(target, Path(name).parent)).as_posix()}{link[2] or ''})"

    text = re.sub(r"\]\(([^)#\s:]+)(#[^)]*)?\)", inside, text)
    if name == "reference/api/packages":
        text += internals()
    if name == "explanation/paper_reproduced":
        link = '<a href="../paper_results/index.html">The page of a quick run</a> is part of this site.'
        text = text.replace("## What it shows", f"{link}\n\n## What it shows")
    source[0] = text + CONTENTS if name == "index" else text


def reproduce(app, error):
    """Run the experiments of the paper and put their page into the site."""
    if error is None and app.builder.format == "html":
        from greedyhull.cli import run

        folder = Path(app.outdir) / "paper_results"
        if not (folder / "index.html").exists():
            run(["paper", "--quick", "--quiet", "--out", str(folder)])


# Docstrings -------------------------------------------------------------------------------------------------------------

default_role = "py:obj"
autosummary_generate = False  # its tables link to the pages in api/
napoleon_google_docstring = False
napoleon_use_ivar = True  # attributes are listed; those that are properties have entries of their own
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the words say what is wanted
autodoc_default_options = {"members": True}
toc_object_entries_show_parents = "hide"
nitpick_ignore_regex = [("py:.*", ".*")]  # types of numpy and of our insides have no page; links between pages are checked


def prose(app, what, name, thing, options, lines):
    """Docstrings are prose: an absolute value |x| is no substitution, and x_ no link."""
    for i, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[i] = escaped(line)


def escaped(line):
    """A line of prose for reStructuredText; what stands between double backticks is code."""
    parts = re.split(r"(``.+?``)", line)
    parts[::2] = [re.sub(r"(?<=\w)_(?!\w)", r"\\_", re.sub(r"\|", r"\\|", part)) for part in parts[::2]]
    return "".join(parts)


PACKAGES = ("cli", "apps", "experiments", "testing", "estimators", "report", "driver", "solvers", "measures", "remote",
            "objectives", "atoms", "data", "points", "kernels", "theory", "types", "errors")  # from the top down


def internals():
    """All modules with the first lines of their docstrings, by package."""
    source, parts = Path(greedyhull.__file__).parent, []
    for package in PACKAGES:
        parts += ["", package, "-" * len(package), ""]
        for file in sorted((source / package).rglob("*.py")) or [source / f"{package}.py"]:
            said = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            first = " ".join(said.split("\n\n")[0].split())
            parts += [f"``{file.relative_to(source).as_posix()}``", f"   {escaped(first)}"]
    return "\n".join([*parts, ""])


def defaults(app, what, name, thing, options, signature, returned):
    """A default that is made anew for each object is told in the words."""
    return (signature or "").replace("<factory>", "…") or None, returned


def skip(app, what, name, thing, skipped, options):
    """What scikit-learn adds to every estimator is described there."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


# Gallery ----------------------------------------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "thumbnail_size": (600, 330),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib",),
    "reference_url": {},
    "min_reported_time": 1,
}
suppress_warnings = ["config.cache"]

# Looks ------------------------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {"start": [], "index": []}
html_theme_options = {
    "logo": {"text": "greedyhull"},
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "friendly",
}
html_show_copyright = False


def setup(app):
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", complete)
    app.connect("build-finished", reproduce)
    app.connect("autodoc-process-docstring", prose)
    app.connect("autodoc-process-signature", defaults)
    app.connect("autodoc-skip-member", skip)
