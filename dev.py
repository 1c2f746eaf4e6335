#!/usr/bin/env python3
"""Set up a clone of greedyhull and run one job in it.

    python3 dev.py demo            solve, certify and explain a real problem
    python3 dev.py test            run all tests, about 9 minutes on two cores
    python3 dev.py test --quick    run the quick tests, less than a minute
    python3 dev.py docs            build the site in build/docs

Further arguments are passed on: python3 dev.py test -k jones

The first call makes the virtual environment .venv, installs what the job needs and compiles the core. Later calls reuse all of
this until pyproject.toml, native/ or the Python changes. To begin again, delete .venv.
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import threading
import time
from importlib.util import find_spec
from pathlib import Path

# Syntax of Python 3.6 and no annotations: an older Python must get as far as `missing`, which says that it is too old.
OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent
HOME = ROOT / ".venv"
STAMP = HOME / "dev.json"  # what was installed; written last, so that an interrupted set-up is repeated
BIN = HOME / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
JOBS = {  # the job, which is also the name of its extra in pyproject.toml, and what it runs
    "demo": ["-m", "greedyhull", "demo"],
    "test": ["-m", "pytest"],
    "docs": ["-m", "sphinx", "-q", "-W", "-n", "docs", "build/docs"],
}


def missing():
    """Return a sentence for each thing that the set-up needs and this machine lacks."""
    python = "python{}.{}".format(*sys.version_info[:2])
    if sys.version_info < OLDEST:
        newer = [name for name in ("python3.13", "python3.12", "python3.11") if shutil.which(name)]
        remedy = f"Run `{newer[0]} dev.py` instead." if newer else "Install one, for instance from https://www.python.org."
        return ["Python must be 3.11 or later; got {}.{}.{} ({}). {}".format(*sys.version_info[:3], sys.executable, remedy)]
    found = []
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        found.append(f"Python's venv and ensurepip are missing. Install them: `sudo apt install {python}-venv` on Debian.")
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        found.append(f"Python's headers are missing. Install them: `sudo apt install {python}-dev` on Debian, "
                     f"`sudo dnf install {python}-devel` on Fedora.")
    if not compiler():
        found.append("A C++17 compiler is missing. Install one: `sudo apt install g++` on Debian, `xcode-select --install` on "
                     "macOS, the Build Tools for Visual Studio with C++ on Windows.")
    return found


def compiler():
    """Return whether a compiler accepts C++17."""
    if os.name == "nt":
        where = Path(os.environ.get("PROGRAMFILES(X86)", "")) / "Microsoft Visual Studio" / "Installer" / "vswhere.exe"
        asked = ["-products", "*", "-requires", "Microsoft.VisualStudio.Component.VC.Tools.x86.x64", "-property", "instanceId"]
        found = subprocess.run([str(where), *asked], stdout=subprocess.PIPE).stdout if where.exists() else b""
        return bool(shutil.which("cl") or found)
    named = os.environ.get("CXX")
    for command in [shlex.split(named)] if named else [["c++"], ["g++"], ["clang++"]]:
        if shutil.which(command[0]):
            program = b"#include <optional>\nstd::optional<int> x;\n"
            tried = subprocess.run([*command, "-std=c++17", "-fsyntax-only", "-x", "c++", "-"], input=program,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if tried.returncode == 0:
                return True
    return False


def digest():
    """Return a digest of all that an installation rests on."""
    mark = hashlib.sha256(f"{ROOT} {sys.version} {sys.base_prefix}".encode())
    for path in [ROOT / "pyproject.toml", *sorted(path for path in (ROOT / "native").rglob("*") if path.is_file())]:
        mark.update(f"{path.relative_to(ROOT)} ".encode() + path.read_bytes())
    return mark.hexdigest()


def requirements(extra):
    """Return what an extra needs, the build included, and the names of the extras that are in it."""
    import tomllib

    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, extras, needed = read["project"], [extra], set()
    for name in extras:  # which grows
        for one in project["optional-dependencies"][name]:
            if one.startswith(project["name"] + "["):
                extras += one[len(project["name"]) + 1 : -1].split(",")
            else:
                needed.add(one)
    needed.update(project["dependencies"], read["build-system"]["requires"], ["cmake", "ninja"])
    return sorted(needed), sorted(set(extras))


def environment():
    """Return the variables of an activated .venv."""
    others = ("PYTHONHOME", "PYTHONPATH", "PIP_USER", "PIP_TARGET")  # would install, or import, from elsewhere
    kept = {name: value for name, value in os.environ.items() if name not in others}
    return dict(kept, VIRTUAL_ENV=str(HOME), PATH=str(BIN) + os.pathsep + kept.get("PATH", os.defpath),
                PIP_DISABLE_PIP_VERSION_CHECK="1")


def step(title, command):
    """Run a command and show how it proceeds; end with its code if it fails."""
    began, lines, live = time.monotonic(), [""], sys.stdout.isatty()
    child = subprocess.Popen([str(part) for part in command], cwd=str(ROOT), env=environment(), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    reader = threading.Thread(target=lambda: lines.extend(line.decode("utf-8", "replace").strip() for line in child.stdout))
    reader.daemon = True
    reader.start()
    print(f"{title} ...", flush=True)
    try:
        shown = 0.0
        while reader.is_alive():
            reader.join(0.5 if live else 5.0)
            spent = time.monotonic() - began
            if live:
                text = f"  {spent:.0f} s  {lines[-1]}"[: shutil.get_terminal_size().columns - 1]
                print("\r\x1b[K" + text.encode("ascii", "replace").decode(), end="", flush=True)
            elif reader.is_alive() and spent - shown >= 20.0:
                shown = spent
                print(f"  {spent:.0f} s  {lines[-1][:100]}".encode("ascii", "replace").decode(), flush=True)
        code = child.wait()
    finally:
        print("\r\x1b[K" if live else "", end="", flush=True)
        if child.poll() is None:
            child.terminate()
            child.wait()
    if code:
        print("\n".join(lines[-30:]).encode("ascii", "replace").decode())
        sys.exit(f"{title} failed after {time.monotonic() - began:.0f} s: the messages are above.")
    print(f"{title}: {time.monotonic() - began:.0f} s", flush=True)
    return lines


def fails(code):
    """Return whether the Python of .venv cannot run a line of code."""
    command = [str(PYTHON), "-c", code]
    return bool(subprocess.run(command, cwd=str(ROOT), env=environment(), stderr=subprocess.DEVNULL).returncode)


def install(extra):
    """Make .venv hold what an extra needs and a compiled core; do nothing if it does."""
    state = digest()
    stamp = json.loads(STAMP.read_text(encoding="utf-8")) if STAMP.exists() else {}
    same = stamp.get("digest") == state and PYTHON.exists()
    if same and extra in stamp["extras"]:
        return
    lacking = missing()
    if lacking:
        sys.exit("\n".join(lacking))
    if STAMP.exists():
        STAMP.unlink()
    same_python = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if not PYTHON.exists() or fails(same_python):
        step("Making .venv for Python {}.{}".format(*sys.version_info[:2]), [sys.executable, "-m", "venv", "--clear", HOME])
    if fails("import pip"):  # made by another tool, or interrupted
        step("Installing pip", [PYTHON, "-m", "ensurepip"])
    needed, extras = requirements(extra)
    step(f"Installing {len(needed)} packages and their dependencies", [PYTHON, "-m", "pip", "install", *needed])
    # Not isolated: the paths of all tools stay the same, so that a later build compiles only what has changed.
    step("Compiling the core", [PYTHON, "-m", "pip", "install", "-v", "--no-build-isolation", "--no-deps", "-e", "."])
    STAMP.write_text(json.dumps({"digest": state, "extras": extras + (stamp["extras"] if same else [])}), encoding="utf-8")


def run(job, given):
    """Run a job with further arguments and return its exit code."""
    if job == "test":
        given = [part for one in given for part in (["-m", "quick"] if one == "--quick" else [one])]
    began = time.monotonic()
    child = subprocess.Popen([str(PYTHON), *JOBS[job], *given], cwd=str(ROOT), env=environment())
    try:
        code = child.wait()
    except KeyboardInterrupt:  # which the terminal sends to the job as well; it ends by itself
        try:
            code = child.wait(timeout=20)
        except (KeyboardInterrupt, subprocess.TimeoutExpired):
            child.kill()
            code = child.wait()
    print(f"{job}: {time.monotonic() - began:.0f} s", flush=True)
    return code if code >= 0 else 128 - code


def main(given):
    """Set up, then run the job that is named; return the exit code."""
    if not given or given[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    if given[0] not in JOBS:
        print(f"The job must be one of {', '.join(JOBS)}; got {given[0]}. `python3 dev.py --help` explains.", file=sys.stderr)
        return 2
    try:
        install(given[0])
    except KeyboardInterrupt:
        print("Interrupted. The next call continues the set-up.", file=sys.stderr)
        return 130
    return run(given[0], given[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
