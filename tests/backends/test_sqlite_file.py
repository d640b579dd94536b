"""The file of a store: private, known by its marks, and never changed where it is another's."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from casstore import (
    CasstoreError,
    Damaged,
    FormatNotSupported,
    StorageFailed,
    Store,
    open_store,
)
from casstore.backends.sqlite import backend as backend_module
from tests.support import ROOT

POSIX = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.sqlite"


@pytest.fixture
def umask() -> object:
    """The test's process makes files for everybody, unless told otherwise."""
    old = os.umask(0)
    yield
    os.umask(old)


@POSIX
@pytest.mark.usefixtures("umask")
class TestModes:
    @pytest.mark.parametrize("wal", [False, True])
    def test_the_files_are_the_users_alone(
        self, path: Path, wal: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(backend_module, "wants_wal", lambda path: wal)
        with open_store(path) as store:
            store.save("a", {"x": 1})
            made = {file.name: mode(file) for file in path.parent.iterdir()}
        extra = ["s.sqlite-shm", "s.sqlite-wal"] if wal else ["s.sqlite-journal"]
        assert {name: made[name] for name in extra} == dict.fromkeys(extra, 0o600)
        assert set(made.values()) == {0o600}

    def test_folders_are_made_private_and_others_keep_their_modes(self, tmp_path: Path) -> None:
        there = tmp_path / "there"
        there.mkdir(0o755)
        open_store(there / "host" / ".cache" / "s.sqlite").close()
        modes = [mode(folder) for folder in (there, there / "host", there / "host" / ".cache")]
        assert modes == [0o755, 0o700, 0o700]

    def test_a_file_that_is_there_keeps_its_mode(self, path: Path) -> None:
        path.touch(0o640)
        open_store(path).close()
        assert mode(path) == 0o640

    def test_a_careful_umask_is_no_hindrance(self, tmp_path: Path) -> None:
        os.umask(0o077)
        open_store(tmp_path / "a" / "s.sqlite").close()
        assert mode(tmp_path / "a" / "s.sqlite") == 0o600


def _sql(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        connection = sqlite3.connect(path)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    return make


def _text(text: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_text(text)

    return make


def _store_and(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with open_store(path) as store:
            store.save("a", {"x": 1})
        _sql(*statements)(path)

    return make


FOREIGN: dict[str, tuple[Callable[[Path], None], str]] = {
    "newer_format": (_store_and("PRAGMA user_version = 2"), "has format 2, this casstore reads"),
    "other_format": (_store_and("PRAGMA user_version = 0"), "has format 0, this casstore reads"),
    "another_programs": (
        _sql("PRAGMA application_id = 5", "CREATE TABLE t (x)"),
        "is a SQLite file of another program (application id 0x5)",
    ),
    "another_programs_empty": (_sql("PRAGMA application_id = 5"), "of another program"),
    "other_tables": (_sql("CREATE TABLE t (x)"), "of another program (application id 0x0)"),
    "no_database": (_text("hello " * 500), "is not a SQLite file"),
    "short_text": (_text("{}"), "is not a SQLite file"),
    "strange_trigger": (
        _store_and("CREATE TRIGGER t AFTER INSERT ON versions BEGIN DELETE FROM blobs; END"),
        "holds the trigger t, which casstore did not make",
    ),
    "changed_view": (
        _store_and(
            "DROP VIEW workflow_version_meta",
            "CREATE VIEW workflow_version_meta AS SELECT 1 AS id",
        ),
        "holds the view workflow_version_meta, which casstore did not make",
    ),
    "changed_trigger": (
        _store_and(
            "DROP TRIGGER workflow_version_delete",
            "CREATE TRIGGER workflow_version_delete INSTEAD OF DELETE ON workflow_version "
            "BEGIN SELECT 1; END",
        ),
        "holds the trigger workflow_version_delete",
    ),
}


class TestIdentity:
    @pytest.mark.parametrize("name", FOREIGN)
    def test_a_file_that_is_no_store_of_ours_is_refused_and_left_alone(
        self, path: Path, name: str
    ) -> None:
        make, message = FOREIGN[name]
        make(path)
        before = path.read_bytes()
        for create in (True, False):
            with pytest.raises(FormatNotSupported) as caught:
                open_store(path, create=create)
            assert message in caught.value.message
            assert str(path) in caught.value.message
        assert path.read_bytes() == before

    def test_an_empty_file_becomes_a_store_where_one_may_be_made(self, path: Path) -> None:
        path.touch()
        with pytest.raises(FormatNotSupported, match="is empty"):
            open_store(path, create=False)
        assert path.stat().st_size == 0
        with open_store(path) as store:
            assert store.save("a", {"x": 1}).version_id == 1

    def test_a_view_of_the_users_own_is_no_hindrance(self, path: Path) -> None:
        _store_and("CREATE VIEW mine AS SELECT id, created_at FROM versions")(path)
        with open_store(path) as store:
            assert store.restore(1).workflow_data == {"x": 1}

    def test_opening_a_store_changes_nothing_in_it(self, path: Path) -> None:
        _store_and()(path)
        before = path.read_bytes()
        with open_store(path) as store:
            list(store.versions())
            store.restore(1)
        assert path.read_bytes() == before

    def test_any_client_reads_the_meta_view(self, path: Path) -> None:
        _store_and()(path)
        connection = sqlite3.connect(path)
        [row] = connection.execute("SELECT id, session_id, size FROM workflow_version_meta")
        connection.close()
        assert row == (1, "a", 7)


class TestPlaces:
    def test_that_cannot_hold_a_store_are_named(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        for path in (tmp_path, tmp_path / "file" / "s.sqlite", tmp_path / "file" / "a" / "b"):
            with pytest.raises(StorageFailed) as caught:
                open_store(path)
            assert str(path) in caught.value.message

    def test_any_name_will_do(self, tmp_path: Path) -> None:
        for name in ("with space.sqlite", "caf\u00e9 \U0001f600", "a?mode=ro#x%20", "'quote", "-x"):
            with open_store(tmp_path / name) as store:
                store.save("a", {"x": name})
            assert (tmp_path / name).exists()
            with open_store(str(tmp_path / name), create=False) as store:
                assert store.restore(1).workflow_data == {"x": name}

    def test_a_relative_path_is_of_the_folder_at_opening(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        with open_store("s.sqlite") as store:
            monkeypatch.chdir("/")
            store.save("a", {"x": 1})
            assert store.location == str(tmp_path / "s.sqlite")

    @POSIX
    def test_a_file_that_may_only_be_read_is_read(
        self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        path = tmp_path / "s.sqlite"
        _store_and()(path)
        (tmp_path / "s.sqlite-journal").unlink(missing_ok=True)
        for file, bits in ((path, 0o444), (tmp_path, 0o555)):
            file.chmod(bits)
        for folder in tmp_path.parents:  # another user must be able to come here
            if os.getuid() == 0 == folder.stat().st_uid and len(folder.parts) > 2:
                folder.chmod(folder.stat().st_mode | 0o055)
        code = (
            "import os, sys\n"
            "from casstore import open_store, StorageFailed\n"
            "with open_store(sys.argv[2]) as store:  # loads every module\n"
            "    store.save('a', {}), store.restore(1), store.info()\n"
            "if os.getuid() == 0: os.setgroups([]), os.setgid(65534), os.setuid(65534)\n"
            "store = open_store(sys.argv[1])\n"
            "print(store.restore(1).workflow_data, store.info().versions)\n"
            "try: store.save('a', {'x': 2})\n"
            "except StorageFailed as error: print(error.exit_code, error.message)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(path), str(tmp_path_factory.mktemp("x") / "s")],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        tmp_path.chmod(0o755)
        assert done.stderr == ""
        assert done.stdout.splitlines() == [
            "{'x': 1} 1",
            f"14 the store at {path} cannot be written: it is read-only",
        ]


class TestDamage:
    """Below the level of blobs: what SQLite itself finds out, or does not."""

    @pytest.fixture
    def whole(self, path: Path) -> bytes:
        with open_store(path) as store:
            for number in range(60):
                store.save(f"session {number % 3}", {"n": number, "pad": ["text"] * 200})
        return path.read_bytes()

    def test_a_file_cut_anywhere_gives_typed_errors_only(self, path: Path, whole: bytes) -> None:
        for length in [*range(1, 200, 33), *range(4096, len(whole), 4096), len(whole) - 100]:
            path.write_bytes(whole[:length])
            self._read_all(path)

    def test_a_page_of_zeros_or_noise_gives_typed_errors_only(
        self, path: Path, whole: bytes
    ) -> None:
        damaged = 0
        for page in range(len(whole) // 4096):
            for noise in (bytes(4096), bytes(range(256)) * 16):
                at = page * 4096
                path.write_bytes(whole[:at] + noise + whole[at + 4096 :])
                damaged += self._read_all(path)
        assert damaged

    def test_flipped_bits_give_the_same_documents_or_typed_errors(
        self, path: Path, whole: bytes
    ) -> None:
        """Not so for what no hash covers: labels, times, attributes and references."""
        with open_store(path) as store:
            blobs = [store._backend.chain(i)[0] for i in range(1, 40, 5)]
        for blob in blobs:
            at = whole.index(blob.data)
            for step in range(0, len(blob.data), 7):
                changed = bytearray(whole)
                changed[at + step] ^= 0x10
                path.write_bytes(changed)
                self._read_all(path)

    def _read_all(self, path: Path) -> int:
        damaged = 0
        try:
            store = open_store(path, create=False)
        except CasstoreError:
            return 1
        with store:
            for version_id in range(1, 61):
                try:
                    version = store.restore(version_id)
                except CasstoreError as error:
                    damaged += isinstance(error, Damaged)
                    continue
                expected = {"n": version_id - 1, "pad": ["text"] * 200}
                assert version.workflow_data == expected
            for read in (
                store.info,
                lambda: list(store.versions()),
                lambda: list(store.sessions()),
            ):
                try:
                    read()
                except CasstoreError as error:
                    damaged += isinstance(error, Damaged)
        return damaged

    def test_text_that_is_no_utf_8_is_damage(self, path: Path, whole: bytes) -> None:
        assert whole.count(b"session 1") >= 1
        path.write_bytes(whole.replace(b"session 1", b"session \xff"))
        with open_store(path) as store, pytest.raises(Damaged):
            store.restore(2)

    def test_one_damaged_version_keeps_the_session_going(self, path: Path, whole: bytes) -> None:
        with open_store(path) as store:
            last = store.row(60)
            assert last.data is not None
            data = store._backend.chain(last.data)[0].data
        path.write_bytes(whole.replace(data, bytes(len(data))))
        with open_store(path) as store:
            with pytest.raises(Damaged):
                store.restore(60)
            saved = store.save("session 2", {"after": "damage"})
            assert store.restore(session_id="session 2").version_id == saved.version_id
            assert store.restore(57).workflow_data["n"] == 56


def test_a_store_is_closed_without_leaving_anything_open(path: Path) -> None:
    store = open_store(path)
    store.save("a", {"x": 1})
    store.close()
    path.unlink()  # which Windows refuses while it is open
    assert isinstance(store, Store)
