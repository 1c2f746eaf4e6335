#!/usr/bin/env bash
# apply.sh ROOT: merge modules by plan1 to plan3, take @override out, inline constants that are used once, merge headers.
# Scripts of one move, kept until it is done. Run them on a clean work tree, then ruff, mypy and the tests.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$1" && pwd)
cd "$root"
python "$here/strip.py" "$root"
for k in 1 2 3; do python "$here/merge.py" "$root" "$here/plan$k.py"; done
find src/greedyhull -name __pycache__ -prune -exec rm -rf {} +
find src/greedyhull -type d -empty -delete
for i in $(find src/greedyhull -name __init__.py -size -2); do
    d=$(dirname "$i")
    if [ "$(ls "$d" | wc -l)" -eq 1 ]; then rm -r "$d"; fi
done
python "$here/later.py" "$root"
python "$here/post.py" "$root"
ruff check --fix -q . || true
python "$here/inline.py" "$root"
ruff check --fix -q . || true
python "$here/native.py" "$root"
python "$here/cycles.py" "$root"
