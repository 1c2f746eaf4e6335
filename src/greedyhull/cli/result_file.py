"""The file that ``--out`` of a fit names: a table in CSV, or the whole result in JSON."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from greedyhull.cli.console import Voice, plain
from greedyhull.cli.outputs import Unwritten, check_file
from greedyhull.errors import check


def check_out(out: Path | None) -> None:
    """An error unless the file, where one is named, ends in .json or .csv and can be written."""
    if out is not None:
        check(out.suffix.lower() in (".json", ".csv"), f"--out {out} was given; a name in .json or .csv is wanted.")
        check_file(out)


def write_result(out: Path | None, document: Mapping[str, Any], lines: Iterable[Sequence[Any]], voice: Voice) -> None:
    """Write the document, or for a table these lines, the first of which names the columns."""
    if out is None:
        return
    if out.suffix.lower() == ".csv":
        paper = StringIO()
        csv.writer(paper, lineterminator="\n").writerows(lines)
        text = paper.getvalue()
    else:
        text = json.dumps(plain(document), indent=2) + "\n"
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unwritten({out: error}, text.rstrip(), document) from error
    voice.say(f"Written: {out}")
