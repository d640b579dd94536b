"""One suite for both forms of the client: in the process, and over the two scripts."""

from __future__ import annotations

import copy
import enum
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from casstore import checkpoint_client
from casstore.checkpoint_client import CheckpointError, ScriptClient
from tests.contract.conftest import SCRIPTS


@pytest.fixture(params=["in-process", "scripts"])
def client(request: pytest.FixtureRequest, store_file: Path) -> Any:
    return checkpoint_client if request.param == "in-process" else ScriptClient(SCRIPTS)


EXACT: dict[str, Any] = {
    "order": {"b": 1, "a": 2, "10": 3, "9": 4},
    "types": [1, 1.0, True, False, None, 0, -0.0, ""],
    "floats": [1e-05, 1e16, 5e-324, 0.1, 2.9000000000000004, 1e300],
    "integers": [2**53 + 1, 2**64, 18446744073709552000, -(10**40)],
    "text": ["é", "e\u0301", "🙂", "\x00", "\ud83d", "a\u2028b"],
    "infinite": [math.inf, -math.inf],
}


def same(left: Any, right: Any) -> bool:
    """Equal in value, type and key order."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    return repr(left) == repr(right)


def test_what_is_saved_comes_back_exactly(client: Any) -> None:
    saved = client.save("s", EXACT, {"nodes": [], "x": math.nan}, {"note": "\ud83d"})
    assert set(saved) == {"version_id", "created_at", "deduplicated"}
    for row in (client.restore("s"), client.restore(version_id=saved["version_id"])):
        assert same(row["workflow_data"], EXACT)
        assert same(row["workflow_data_ui"], {"nodes": [], "x": math.nan})
        assert same(row["attributes"], {"note": "\ud83d"})
        assert row["created_at"] == saved["created_at"]
        assert row["session_id"] == "s"


def test_the_latest_of_a_session_is_its_last_save(client: Any) -> None:
    for value in range(3):
        client.save("s", {"value": value})
    client.save("t", {"value": 9})
    assert client.restore("s")["workflow_data"] == {"value": 2}
    assert client.restore(version_id=1)["workflow_data"] == {"value": 0}


def test_an_equal_save_is_deduplicated(client: Any) -> None:
    answers = [client.save("s", {"a": 1})["deduplicated"] for _ in range(2)]
    assert answers == [False, True]


def test_the_callers_value_is_not_touched(client: Any) -> None:
    value = copy.deepcopy(EXACT)
    client.save("s", value)
    assert same(value, EXACT)


class Shade(enum.IntEnum):
    DARK = 1


class Text(str):
    pass


@pytest.mark.parametrize(
    ("call", "code", "exit_code"),
    [
        (lambda c: c.save("s", {1: 2}), "invalid_document", 2),
        (lambda c: c.save("s", {"a": (1, 2)}), "invalid_document", 2),
        (lambda c: c.save("s", {"a": {1}}), "invalid_document", 2),
        (lambda c: c.save("s", {"a": b"x"}), "invalid_document", 2),
        (lambda c: c.save("s", {"a": Shade.DARK}), "invalid_document", 2),
        (lambda c: c.save("s", {"a": Text("x")}), "invalid_document", 2),
        (lambda c: c.save("s", {"a": 10**5000}), "invalid_document", 2),
        (lambda c: c.save("s", [1]), "invalid_document", 2),
        (lambda c: c.save("s", None), "invalid_document", 2),
        (lambda c: c.save("s", '{"a": 1}'), "invalid_document", 2),
        (lambda c: c.save("s", {}, [1]), "invalid_document", 2),
        (lambda c: c.save("s", {}, None, [1]), "invalid_document", 2),
        (lambda c: c.save("", {}), "invalid_session", 2),
        (lambda c: c.save(None, {}), "invalid_session", 2),
        (lambda c: c.save("a\x00", {}), "invalid_session", 2),
        (lambda c: c.save("a\ud800", {}), "invalid_session", 2),
        (lambda c: c.restore(), "usage", 2),
        (lambda c: c.restore("s", 1), "usage", 2),
        (lambda c: c.restore(version_id=0), "invalid_version", 2),
        (lambda c: c.restore(version_id=True), "invalid_version", 2),
        (lambda c: c.restore(version_id="1"), "invalid_version", 2),
        (lambda c: c.restore(version_id=99), "version_not_found", 13),
        (lambda c: c.restore("nobody"), "session_not_found", 13),
        (lambda c: c.restore("a\x00"), "invalid_session", 2),
    ],
)
def test_errors_are_the_same_in_both_forms_and_store_nothing(
    client: Any, call: Callable[[Any], object], code: str, exit_code: int
) -> None:
    client.save("s", {"kept": 1})
    with pytest.raises(CheckpointError) as caught:
        call(client)
    assert (caught.value.code, caught.value.exit_code) == (code, exit_code)
    assert caught.value.message
    assert isinstance(caught.value.details, dict)
    assert client.restore("s")["version_id"] == 1


def test_restore_without_a_store_says_so(client: Any) -> None:
    with pytest.raises(CheckpointError) as caught:
        client.restore("s")
    assert (caught.value.code, caught.value.exit_code) == ("no_store", 10)


def test_both_forms_share_one_store(store_file: Path) -> None:
    scripts = ScriptClient(SCRIPTS)
    checkpoint_client.save("s", {"from": "process"})
    assert scripts.restore("s")["workflow_data"] == {"from": "process"}
    scripts.save("s", {"from": "scripts"})
    assert checkpoint_client.restore("s")["workflow_data"] == {"from": "scripts"}


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced there")
def test_a_replaced_store_file_is_noticed(store_file: Path) -> None:
    checkpoint_client.save("s", {"a": 1})
    os.rename(store_file, store_file.with_suffix(".old"))
    assert checkpoint_client.save("s", {"a": 2})["version_id"] == 1
    assert ScriptClient(SCRIPTS).restore("s")["workflow_data"] == {"a": 2}


def test_a_client_whose_scripts_are_missing_says_so(store_file: Path, tmp_path: Path) -> None:
    with pytest.raises(CheckpointError) as caught:
        ScriptClient(tmp_path).restore("s")
    assert caught.value.code == "script_failed"


def test_the_client_file_runs_where_casstore_is_not_installed(
    store_file: Path, tmp_path: Path
) -> None:
    import subprocess

    source = Path(checkpoint_client.__file__)
    copied = tmp_path / "checkpoint_client.py"
    copied.write_bytes(source.read_bytes())
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        f"from checkpoint_client import ScriptClient\n"
        f"client = ScriptClient({str(SCRIPTS)!r}, python={sys.executable!r})\n"
        f"print(client.save('s', {{'a': 1}})['version_id'], 'casstore' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["1", "False"]
