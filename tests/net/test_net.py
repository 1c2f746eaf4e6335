"""The recorded answers, names and files: nothing of them may differ while code moves."""

import importlib.util
import sys
from pathlib import Path


def test_nothing_differs_from_what_was_recorded():
    found = importlib.util.spec_from_file_location("net_record", Path(__file__).with_name("record.py"))
    record = importlib.util.module_from_spec(found)
    sys.modules["net_record"] = record
    found.loader.exec_module(record)
    assert record.compare() == []
