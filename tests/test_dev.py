"""dev.py: what it installs and when, what it passes on, and what it says if something is missing. Nothing is fetched here."""

import ast
import importlib.util
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "dev.py"
POSIX = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


@pytest.fixture
def dev(tmp_path, monkeypatch):
    """The script as a module whose clone is an empty folder with our pyproject.toml and one source file."""
    spec = importlib.util.spec_from_file_location("dev", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    clone = tmp_path / "clone"
    (clone / "native").mkdir(parents=True)
    (clone / "native" / "module.cpp").write_text("int x;\n")
    (clone / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    for name, path in {"ROOT": clone, "HOME": clone / ".venv", "STAMP": clone / ".venv" / "dev.json",
                       "PYTHON": Path(sys.executable)}.items():
        monkeypatch.setattr(module, name, path)
    return module


@pytest.fixture
def steps(dev, monkeypatch):
    """The steps that a set-up takes; none of them is run."""
    taken = []

    def step(title, command):
        taken.append(title.split()[0])
        dev.HOME.mkdir(exist_ok=True)
        return []

    monkeypatch.setattr(dev, "step", step)
    monkeypatch.setattr(dev, "missing", list)
    monkeypatch.setattr(dev, "fails", lambda code: False)
    return taken


def test_an_old_python_can_read_the_script_and_no_package_is_needed():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"), feature_version=(3, 6))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names
    assert not any(node.returns or any(one.annotation for one in node.args.args)
                   for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@POSIX
@pytest.mark.parametrize("version", ["3.6", "3.8", "3.10"])
def test_an_old_python_is_named(version):
    """With that Python itself, if it is installed."""
    command = [f"python{version}", str(SCRIPT), "test"]
    try:
        subprocess.run([command[0], "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"no Python {version}")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith(f"Python must be 3.11 or later; got {version}.")


@pytest.mark.parametrize("found, said", [("python3.12", "Run `python3.12 dev.py` instead."), (None, "Install one")])
def test_a_newer_python_is_proposed(dev, monkeypatch, found, said):
    monkeypatch.setattr(dev, "OLDEST", (99, 0))
    monkeypatch.setattr(dev.shutil, "which", lambda name: name if name == found else None)
    (words,) = dev.missing()
    assert said in words and "got {}.{}.{} (".format(*sys.version_info[:3]) in words


def test_the_oldest_python_is_that_of_the_package(dev):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == ">={}.{}".format(*dev.OLDEST)


def test_all_that_is_missing_is_named_at_once_and_nothing_is_made(dev, monkeypatch, tmp_path):
    monkeypatch.setattr(dev, "find_spec", lambda name: None)
    monkeypatch.setattr(dev.sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(dev, "compiler", lambda: False)
    with pytest.raises(SystemExit) as stopped:
        dev.main(["test"])
    python = "python{}.{}".format(*sys.version_info[:2])
    venv, headers, compiler = stopped.value.code.splitlines()
    assert f"sudo apt install {python}-venv" in venv and f"sudo apt install {python}-dev" in headers
    assert all(word in compiler for word in ("C++17", "apt install g++", "xcode-select --install", "Visual Studio"))
    assert not dev.HOME.exists()


@POSIX
@pytest.mark.parametrize("name, code, found", [(None, 0, False), ("c++", 0, True), ("c++", 1, False), ("clang++", 0, True),
                                               ("own", 0, True)])
def test_a_compiler_counts_if_it_accepts_the_language(dev, monkeypatch, tmp_path, name, code, found):
    if name:
        (tmp_path / name).write_text(f"#!/bin/sh\nexit {code}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CXX", "own -O1" if name == "own" else "")
    assert dev.compiler() == found


def test_an_extra_is_written_out_with_what_the_build_needs(dev):
    needed, extras = dev.requirements("test")
    names = {line.partition(">")[0] for line in needed}
    assert {"numpy", "pytest", "pandas", "matplotlib", "distributed", "highspy", "nanobind", "cmake", "ninja"} <= names
    assert not [name for name in names if name.startswith("greedyhull")] and {"test", "demo", "report", "lp"} <= set(extras)
    assert {name.partition(">")[0] for name in dev.requirements("demo")[0]} < names
    for job in dev.JOBS:
        assert dev.requirements(job)


def test_what_was_installed_is_used_again_until_something_changes(dev, steps):
    whole = ["Installing", "Compiling"]
    dev.install("demo")
    assert steps == whole
    dev.install("demo")
    assert steps == whole  # as it was
    dev.install("test")
    assert steps == 2 * whole
    dev.install("demo")  # which is in it
    dev.install("test")
    assert steps == 2 * whole
    (dev.ROOT / "native" / "module.cpp").write_text("int y;\n")
    dev.install("test")
    assert steps == 3 * whole
    with (dev.ROOT / "pyproject.toml").open("a") as file:
        file.write("# another\n")
    dev.install("docs")
    assert steps == 4 * whole
    dev.install("test")
    assert steps == 5 * whole
    dev.install("docs")
    assert steps == 5 * whole


def test_another_python_makes_another_environment(dev, steps, monkeypatch):
    dev.install("demo")
    monkeypatch.setattr(dev.sys, "base_prefix", "elsewhere")
    monkeypatch.setattr(dev, "fails", lambda code: "version_info" in code)
    dev.install("demo")
    assert steps == ["Installing", "Compiling", "Making", "Installing", "Compiling"]


@pytest.mark.parametrize("at", ["Installing", "Compiling"])
def test_an_interrupted_set_up_is_repeated(dev, steps, monkeypatch, capsys, at):
    dev.install("demo")
    (dev.ROOT / "native" / "module.cpp").write_text("int y;\n")
    taken = dev.step

    def interrupted(title, command):
        taken(title, command)
        if title.startswith(at):
            raise KeyboardInterrupt

    monkeypatch.setattr(dev, "step", interrupted)
    assert dev.main(["demo"]) == 130 and not dev.STAMP.exists()
    assert capsys.readouterr().err == "Interrupted. The next call continues the set-up.\n"
    monkeypatch.setattr(dev, "step", taken)
    before = len(steps)
    dev.install("demo")
    assert steps[before:] == ["Installing", "Compiling"] and dev.STAMP.exists()


def test_a_step_that_fails_shows_what_it_printed(dev, capsys):
    with pytest.raises(SystemExit, match=r"Trying failed after \d+ s"):
        dev.step("Trying", [sys.executable, "-c", "print('no network'); raise SystemExit(3)"])
    assert "no network" in capsys.readouterr().out
    assert dev.step("Trying", [sys.executable, "-c", "print('fine')"])[-1] == "fine"
    assert re.fullmatch(r"Trying \.\.\.\nTrying: \d+ s\n", capsys.readouterr().out)


@pytest.mark.parametrize("job, given, passed", [
    ("test", ["-k", "jones or away", "-x"], ["-k", "jones or away", "-x"]), ("test", ["--quick", "-x"], ["-m", "quick", "-x"]),
    ("demo", ["--quick"], ["--quick"]), ("test", [], [])])
def test_arguments_and_exit_codes_are_passed_on(dev, steps, monkeypatch, capfd, job, given, passed):
    code = "import os, sys; print(sys.argv[1:], os.environ['VIRTUAL_ENV']); sys.exit(7)"
    monkeypatch.setitem(dev.JOBS, job, ["-c", code])
    assert dev.main([job, *given]) == 7
    said, spent = capfd.readouterr().out.splitlines()
    assert said == f"{passed} {dev.HOME}" and re.fullmatch(rf"{job}: \d+ s", spent)


@POSIX
def test_ctrl_c_ends_the_job_and_gives_its_code(tmp_path):
    """As a terminal sends it: to the script and to the job alike."""
    job = "import time\ntry:\n print('ready', flush=True); time.sleep(60)\nexcept KeyboardInterrupt:\n raise SystemExit(3)"
    code = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); import dev\n"
            f"dev.PYTHON, dev.JOBS['demo'] = sys.executable, ['-c', {job!r}]\nsys.exit(dev.run('demo', []))")
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             start_new_session=True)
    assert child.stdout.readline() == "ready\n"
    began = time.monotonic()
    os.killpg(child.pid, signal.SIGINT)
    said, errors = child.communicate(timeout=30)
    assert child.returncode == 3 and re.fullmatch(r"demo: \d+ s\n", said) and errors == "" and time.monotonic() - began < 15


def test_it_explains_itself(dev, capsys):
    assert dev.main([]) == 0 and dev.main(["--help"]) == 0
    assert "python3 dev.py test --quick" in capsys.readouterr().out
    assert dev.main(["tset"]) == 2
    assert capsys.readouterr().err == "The job must be one of demo, test, docs; got tset. `python3 dev.py --help` explains.\n"
