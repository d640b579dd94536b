"""The records are immutable, named tuples as ``typing`` makes them, without importing it."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import pytest

from casstore import records
from casstore.backends.base import BlobHeader, Counts
from tests.support import ROOT

RECORDS = [
    records.Document,
    records.Blob,
    records.VersionRow,
    records.SavedVersion,
    records.Version,
    records.VersionInfo,
    records.SessionInfo,
    records.StoreInfo,
    BlobHeader,
    Counts,
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
class TestEvery:
    def _make(self, record: Any) -> Any:
        return record(*range(len(record._fields)))

    def test_is_a_tuple_with_names(self, record: Any) -> None:
        made = self._make(record)
        assert issubclass(record, tuple)
        assert [getattr(made, field) for field in record._fields] == list(made)
        assert record(**made._asdict()) == made
        assert repr(made).startswith(f"{record.__name__}({record._fields[0]}=0, ")

    def test_cannot_be_changed(self, record: Any) -> None:
        made = self._make(record)
        with pytest.raises(AttributeError):
            setattr(made, record._fields[0], 1)
        with pytest.raises(AttributeError):
            made.something_new = 1

    def test_can_be_copied_and_pickled(self, record: Any) -> None:
        made = self._make(record)
        for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert other == made
            assert type(other) is record

    def test_says_what_it_is(self, record: Any) -> None:
        assert record.__doc__
        assert record.__module__ in ("casstore.records", "casstore.backends.base")


def test_fields_with_a_default_may_be_left_out() -> None:
    row = records.VersionRow(1, "s", 2, None, None, None, None)
    assert (row.path, row.capture) == (None, None)
    with pytest.raises(TypeError):
        records.VersionRow(1)  # type: ignore[call-arg]


def test_a_version_as_a_dictionary_has_the_documented_keys_in_order() -> None:
    version = records.Version(1, "s", {"a": 1}, None, {}, "t")
    assert list(version.as_dict().items()) == [
        ("version_id", 1),
        ("session_id", "s"),
        ("workflow_data", {"a": 1}),
        ("workflow_data_ui", None),
        ("attributes", {}),
        ("created_at", "t"),
    ]


def test_numbers_that_are_stored_in_every_store_stay_what_they_are() -> None:
    assert (records.JSON, records.EXACT_JSON, records.TEXT, records.BINARY) == (1, 2, 3, 4)
    assert (records.LOOSE, records.WHOLE, records.DELTA) == (0, 1, 2)


def test_importing_them_imports_no_typing() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import casstore.records, casstore.backends.base\n"
        "print([name for name in ('typing', 'dataclasses', 're', 'enum') if name in sys.modules])"
    )
    command = [sys.executable, "-I", "-S", "-c", code, str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
