"""How a SQLite file is opened: its settings, the rule for its journal, its errors in our words."""

from __future__ import annotations

import io
import os
import random
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from casstore import (
    CasstoreError,
    Damaged,
    FormatNotSupported,
    NoStore,
    StorageFailed,
    StoreBusy,
    open_store,
)
from casstore.backends.sqlite import backend as backend_module
from casstore.backends.sqlite import connection
from casstore.backends.sqlite.backend import SqliteBackend
from casstore.store import Store


def pragma(opened: sqlite3.Connection, name: str) -> Any:
    return opened.execute(f"PRAGMA {name}").fetchone()[0]


def new_store(path: Path, timeout: float = 5.0) -> SqliteBackend:
    backend = SqliteBackend(str(path), timeout=timeout)
    backend.identify(create=True)
    return backend


class TestSettings:
    def test_every_connection_has_them(self, tmp_path: Path) -> None:
        new_store(tmp_path / "s.sqlite").close()
        opened = connection.open_file(str(tmp_path / "s.sqlite"), timeout=1.25, create=False)
        expected = {
            "foreign_keys": 1,
            "synchronous": 2,  # FULL
            "busy_timeout": 1250,
            "trusted_schema": 0,
            "journal_mode": "persist",
            "cache_spill": 60000,
            "page_size": 4096,
            "mmap_size": 0,
            "application_id": 0x43415353,
            "user_version": 1,
        }
        assert {name: pragma(opened, name) for name in expected} == expected
        opened.close()

    def test_each_is_made_by_a_function_that_gives_its_reason(self) -> None:
        for setting in {*connection.SETTINGS, *connection.VIEW_SETTINGS}:
            assert setting.__doc__

    def test_the_timeout_is_set_before_the_first_statement(self, tmp_path: Path) -> None:
        """A setting that needs the lock waits for it instead of failing at once."""
        path = tmp_path / "s.sqlite"
        new_store(path).close()
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        seen: list[int] = []

        def asks(opened: sqlite3.Connection) -> None:
            seen.append(pragma(opened, "busy_timeout"))

        connection.open_file(str(path), timeout=0.3, create=False, settings=(asks,)).close()
        other.close()
        assert seen == [300]

    def test_a_connection_whose_settings_fail_is_closed(self, tmp_path: Path) -> None:
        opened: list[sqlite3.Connection] = []

        def fails(each: sqlite3.Connection) -> None:
            opened.append(each)
            raise sqlite3.OperationalError("disk I/O error")

        with pytest.raises(StorageFailed):
            connection.open_file(
                str(tmp_path / "s.sqlite"), timeout=1, create=True, settings=(fails,)
            )
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            opened[0].execute("SELECT 1")


class TestJournalRule:
    @pytest.mark.parametrize(
        ("version", "local", "wal"),
        [
            ((3, 51, 3), True, True),
            ((3, 51, 3), False, False),
            ((3, 52, 0), True, True),
            ((4, 0, 0), True, True),
            ((3, 51, 2), True, False),
            ((3, 40, 1), True, False),
            ((3, 7, 0), True, False),
        ],
    )
    def test_wal_only_where_it_is_sound_and_the_file_is_local(
        self,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
        version: tuple[int, int, int],
        local: bool,
        wal: bool,
    ) -> None:
        monkeypatch.setattr(sqlite3, "sqlite_version_info", version)
        monkeypatch.setattr(connection, "is_local", lambda path: local)
        assert connection.wants_wal(str(tmp_path)) is wal
        backend = new_store(tmp_path / "s.sqlite")
        assert backend.journal_mode == ("wal" if wal else "persist")
        backend.close()

    def test_what_was_chosen_at_creation_stays(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        for name, wal, mode in (("w", True, "wal"), ("p", False, "persist")):
            monkeypatch.setattr(backend_module, "wants_wal", lambda path, wal=wal: wal)
            new_store(tmp_path / name).close()
            monkeypatch.setattr(backend_module, "wants_wal", lambda path, wal=wal: not wal)
            with open_store(tmp_path / name) as store:
                store.save("a", {"x": 1})
                assert store.info().journal_mode == mode
                assert store.restore(1).workflow_data == {"x": 1}

    def test_in_wal_mode_a_reader_reads_while_a_writer_writes(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(backend_module, "wants_wal", lambda path: True)
        writer = new_store(tmp_path / "s.sqlite")
        reader = SqliteBackend(writer.location, timeout=0.05)
        with reader.reading():
            assert reader.last_version_id() == 0
            with writer.transaction():
                writer.set_last_version_id(7)
            assert reader.last_version_id() == 0
        assert reader.last_version_id() == 7
        writer.close()
        reader.close()


MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
23 22 0:5 / /proc rw - proc proc rw
30 22 0:40 / /mnt/nfs rw shared:1 master:2 - nfs4 server:/export rw
31 30 8:2 / /mnt/nfs/local rw - xfs /dev/sdb1 rw
32 22 0:41 / /mnt/ssh rw - fuse.sshfs me@host:/ rw
33 22 0:42 / /mnt/with\\040space rw - cifs //server/share rw
34 22 0:43 / /mnt/9p rw - 9p drvfs rw
35 22 0:44 / /mnt/twice rw - nfs server:/a rw
36 22 0:45 / /mnt/twice rw - btrfs /dev/sdc1 rw
37 22 0:46 / /mnt/fuseblk rw - fuseblk /dev/sdd1 rw
"""


@pytest.mark.skipif(sys.platform == "win32", reason="paths as on POSIX")
class TestLocalFileSystems:
    @pytest.mark.parametrize(
        ("path", "local"),
        [
            ("/home/me/s.sqlite", True),
            ("/mnt/nfs/s.sqlite", False),
            ("/mnt/nfs", False),
            ("/mnt/nfs2/s.sqlite", True),
            ("/mnt/nfs/local/deep/s.sqlite", True),
            ("/mnt/ssh/s.sqlite", False),
            ("/mnt/with space/s.sqlite", False),
            ("/mnt/9p/s.sqlite", False),
            ("/mnt/twice/s.sqlite", True),
            ("/mnt/fuseblk/s.sqlite", False),
        ],
    )
    def test_on_linux(self, monkeypatch: pytest.MonkeyPatch, path: str, local: bool) -> None:
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(os.path, "realpath", lambda path: path)
        monkeypatch.setattr(connection, "open", lambda *a, **k: io.StringIO(MOUNTS), raising=False)
        assert connection.is_local(path) is local

    def test_unknown_is_not_local(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*arguments: object, **named: object) -> None:
            raise FileNotFoundError

        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(connection, "open", fails, raising=False)
        assert connection.is_local("/home/me/s.sqlite") is False

    @pytest.mark.parametrize(
        ("platform", "path", "local"),
        [
            ("darwin", "/Users/me/s.sqlite", True),
            ("darwin", "/Volumes/Share/s.sqlite", False),
            ("darwin", "/Network/s.sqlite", False),
            ("win32", "C:\\Users\\me\\s.sqlite", True),
            ("win32", "\\\\server\\share\\s.sqlite", False),
        ],
    )
    def test_elsewhere(
        self, monkeypatch: pytest.MonkeyPatch, platform: str, path: str, local: bool
    ) -> None:
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setattr(os.path, "realpath", lambda path: path)
        assert connection.is_local(path) is local


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "kind", "code"),
        [
            ("database is locked", StoreBusy, 11),
            ("database table is locked", StoreBusy, 11),
            ("file is not a database", FormatNotSupported, 12),
            ("database disk image is malformed", Damaged, 20),
            ("Could not decode to UTF-8 column 'name' with text '\ufffd'", Damaged, 20),
            ("database or disk is full", StorageFailed, 14),
            ("attempt to write a readonly database", StorageFailed, 14),
            ("unable to open database file", StorageFailed, 14),
            ("disk I/O error", StorageFailed, 14),
            ("something that no one has seen", StorageFailed, 14),
        ],
    )
    def test_of_sqlite_get_a_class_of_ours(
        self, text: str, kind: type[CasstoreError], code: int
    ) -> None:
        with pytest.raises(kind) as caught, connection.translated("/a/store.sqlite"):
            raise sqlite3.OperationalError(text)
        assert type(caught.value) is kind
        assert caught.value.exit_code == code
        assert "/a/store.sqlite" in caught.value.message
        assert caught.value.details["path"] == "/a/store.sqlite"

    def test_of_ours_pass_through(self) -> None:
        error = Damaged("as it is")
        with pytest.raises(Damaged) as caught, connection.translated("/a/store.sqlite"):
            raise error
        assert caught.value is error

    def test_a_missing_store_is_not_made_where_nobody_asked(self, tmp_path: Path) -> None:
        path = tmp_path / "deep" / "s.sqlite"
        for call in (
            lambda: open_store(path, create=False),
            lambda: connection.open_file(str(path), timeout=1, create=False),
            lambda: SqliteBackend(str(path)).version(1),
        ):
            with pytest.raises(NoStore) as caught:
                call()
            assert caught.value.details == {"path": str(path)}
        assert list(tmp_path.iterdir()) == []

    def test_busy_is_said_after_the_timeout(self, tmp_path: Path) -> None:
        path = tmp_path / "s.sqlite"
        new_store(path).close()
        store = open_store(path, timeout=0.05)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy) as caught:
            store.save("a", {"x": 1})
        assert caught.value.message.startswith("another process is using the store at")
        assert list(store.versions()) == []  # a reader is not held up
        other.execute("COMMIT")
        assert store.save("a", {"x": 1}).version_id == 1
        store.close()
        other.close()

    def test_a_full_disk_leaves_nothing(self, tmp_path: Path) -> None:
        backend = new_store(tmp_path / "s.sqlite")
        store = Store(backend)
        store.save("a", {"x": 1})
        pages = pragma(backend._connection, "page_count")
        backend._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StorageFailed, match="is full"):
            store.save("a", {"x": random.Random(1).randbytes(50_000).hex()})
        backend._connection.execute("PRAGMA max_page_count = 1000000")
        assert [v.version_id for v in store.versions()] == [1]
        assert store.info().blobs == 1
        assert store.save("a", {"x": 2}).version_id == 2
        store.close()
