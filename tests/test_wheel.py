"""The wheel: it holds the package and nothing else, and what it installs runs on its own."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import greedyhull as gh

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "greedyhull"
pytest.importorskip("scikit_build_core")
pytest.importorskip("nanobind")


def ran(*command, variables=None, **options):
    """What a command prints; PYTHONPATH would hide what is installed."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")} | (variables or {})
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, encoding="utf-8", timeout=300,
                          env=env, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the wheel and the source distribution, built without a network."""
    folder = tmp_path_factory.mktemp("dist")
    for part in ("wheel", "sdist"):
        code = f"import os; os.chdir({str(ROOT)!r}); import scikit_build_core.build as b; b.build_{part}({str(folder)!r}, "
        ran(sys.executable, "-c", code + f"{{'build-dir': {str(folder / 'work')!r}}})")
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The Python of a fresh environment with the wheel; what it depends on comes from the environment of the tests."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=False)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=base))
    python = Path(sysconfig.get_path("scripts", "venv", vars=base)) / Path(sys.executable).name
    ran(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps",
        "--disable-pip-version-check", wheel)
    own = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "dependencies.pth").write_text("\n".join(sorted(own)) + "\n", encoding="utf-8")
    return python


def test_the_wheel_holds_every_file_of_the_package_and_no_others(wheel):
    files = {path.relative_to(SOURCE.parent).as_posix() for path in SOURCE.rglob("*")
             if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".so", ".pyd")}
    held = set(zipfile.ZipFile(wheel).namelist())
    core = {name for name in held if name.startswith("greedyhull/kernels/_core.") and not name.endswith(".pyi")}
    assert {name for name in held if ".dist-info/" not in name} == files | core
    assert len(core) == 1
    assert {"greedyhull/py.typed", "greedyhull/report/page.html", "greedyhull/__main__.py"} <= held
    assert {name.split("/")[0] for name in held} == {"greedyhull", f"greedyhull-{gh.__version__}.dist-info"}


def test_its_metadata_say_what_the_project_says(wheel):
    with zipfile.ZipFile(wheel) as held:
        info = f"greedyhull-{gh.__version__}.dist-info"
        metadata = message_from_string(held.read(f"{info}/METADATA").decode())
        scripts = held.read(f"{info}/entry_points.txt").decode()
        assert any(name.startswith(info) and name.endswith("LICENSE") for name in held.namelist())
    assert metadata["Name"] == "greedyhull" and metadata["Version"] == gh.__version__
    assert metadata["Requires-Python"] == ">=3.11" and "greedyhull = greedyhull.cli:main" in scripts
    assert any(line.endswith("Python :: 3.11") for line in metadata.get_all("Classifier"))
    assert "greedyhull" in metadata.get_payload()  # the README


def test_the_source_distribution_can_be_built_and_tested_from(built):
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as held:
        names = {name.partition("/")[2] for name in held.getnames()}
    for wanted in ("pyproject.toml", "LICENSE", "README.md", "src/greedyhull/py.typed", "tests/conftest.py", "tests/quick.txt",
                   "docs/index.md", "native/CMakeLists.txt", "native/module.cpp"):
        assert wanted in names
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_demo_runs_from_the_wheel(installed, tmp_path):
    where = ran(installed, "-c", "import greedyhull; print(greedyhull.__file__)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(installed.parents[1])
    script = installed.with_name("greedyhull" + installed.suffix)
    assert ran(script, "--version", cwd=tmp_path) == f"greedyhull {gh.__version__}\n"
    said = ran(installed, "-m", "greedyhull", "demo", cwd=tmp_path)
    assert said.startswith("Which measurements") and "What is proved" in said
    assert "<svg" in (tmp_path / "greedyhull-demo.html").read_text(encoding="utf-8")


def test_tests_run_from_the_wheel_as_the_recipe_runs_them_and_no_compiler_is_called(installed, tmp_path):
    """A part of the quick tests; the recipe for all platforms runs the whole of them."""
    recipe = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"]
    *start, tests = recipe["test-command"].split()
    assert start[:3] == ["python", "-m", "pytest"] and tests == "{project}/tests"
    given = [*start[3:], "-n", "0", "-p", "no:cacheprovider", str(ROOT / "tests" / "kernels")]
    code = f"import pytest, greedyhull; code = pytest.main({given!r}); print(greedyhull.__file__); raise SystemExit(code)"
    said = ran(installed, "-c", code, cwd=tmp_path, variables={"CC": "/bin/false", "CXX": "/bin/false", "PATH": ""})
    assert " passed" in said
    assert Path(said.splitlines()[-1]).is_relative_to(installed.parents[1])


def test_wheels_are_built_for_the_pythons_that_are_named(wheel):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = [line.rpartition(" ")[2] for line in project["project"]["classifiers"] if "Python :: 3." in line]
    assert project["tool"]["cibuildwheel"]["build"] == [f"cp{version.replace('.', '')}-*" for version in named]


def test_a_problem_is_solved_and_certified_from_the_wheel(installed, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n1,0,1\n0,1,2\n1,1,3\n")
    (tmp_path / "p.toml").write_text('[data]\nfile = "t.csv"\ntarget = "y"\n[objective]\nloss = "least_squares"\n'
                                     '[set]\nkind = "l1_ball"\nradius = 2.0\n[output]\nfolder = "out"\n')
    script = installed.with_name("greedyhull" + installed.suffix)
    solved = json.loads(ran(script, "solve", "p.toml", "--json", cwd=tmp_path))
    assert solved["met"] and (tmp_path / "out" / "report.html").exists()
    assert json.loads(ran(script, "certify", "p.toml", "out/solution.npz", "--gap", "1e-4", "--json", cwd=tmp_path))["met"]
