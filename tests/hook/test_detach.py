"""At most one settling process at a time, started by whoever comes first, whatever dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from casstore import detach, inbox
from casstore.detach import give_back, start_settling, take_lock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="locks and processes of POSIX")

SETTLER = """#!/bin/sh
echo "$$ $*" >> {log}
cat > {streams}.in
ls -l /proc/$$/fd > {streams} 2>/dev/null
ps -o sid= -p $$ > {streams}.sid
while [ -e {hold} ]; do sleep 0.02; done
"""


class Stage:
    """A stand-in for the settling process, that runs as long as a file is there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = folder / "store.sqlite"
        self.inbox = inbox.inbox_of(str(self.store))
        self.hold = folder / "hold"
        self.log = folder / "log"
        self.streams = folder / "streams"
        script = folder / "settler"
        script.write_text(SETTLER.format(log=self.log, streams=self.streams, hold=self.hold))
        script.chmod(0o755)
        self.script = script
        self.hold.touch()
        environ = {**os.environ, detach.PYTHON_VARIABLE: str(script)}
        monkeypatch.setattr(detach, "environment", lambda: environ)

    def start(self) -> bool:
        return start_settling(str(self.store))

    def started(self) -> list[list[str]]:
        return [line.split() for line in self.log.read_text().splitlines()]

    def wait_for(self, path: Path) -> None:
        end = time.monotonic() + 30
        while not path.exists() or not path.read_text():
            assert time.monotonic() < end
            time.sleep(0.01)

    def wait_until_free(self) -> None:
        end = time.monotonic() + 30
        while (lock := take_lock(self.inbox)) is None:
            assert time.monotonic() < end
            time.sleep(0.01)
        give_back(self.inbox, lock)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage(tmp_path, monkeypatch)
    yield made
    made.hold.unlink(missing_ok=True)
    made.wait_until_free()


def test_a_second_is_not_started_while_one_is_at_work(stage: Stage) -> None:
    assert stage.start()
    assert not stage.start()
    stage.wait_for(stage.log)
    assert not stage.start()
    stage.hold.unlink()
    stage.wait_until_free()
    assert len(stage.started()) == 1
    assert stage.start()


def test_one_that_is_killed_gives_its_place_back(stage: Stage) -> None:
    assert stage.start()
    stage.wait_for(stage.streams)
    os.kill(int(stage.started()[0][0]), signal.SIGKILL)
    stage.wait_until_free()
    assert stage.start()


def test_it_is_told_the_store_and_the_lock(stage: Stage) -> None:
    stage.start()
    stage.wait_for(stage.log)
    (words,) = stage.started()
    assert words[-2] == str(stage.store)
    assert int(words[-1]) > 2


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="Linux shows open files")
@pytest.mark.parametrize("way", ["spawn", "fork"])
def test_it_has_a_session_of_its_own_and_no_stream_or_file_of_the_starters(
    way: str, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "fork":
        monkeypatch.delattr(detach.system, "posix_spawn")
    read, write = os.pipe()
    os.set_inheritable(write, True)
    assert stage.start()
    stage.wait_for(Path(f"{stage.streams}.sid"))
    os.close(write)
    assert os.read(read, 1) == b""
    os.close(read)
    links = [
        line.split(" -> ")[1] for line in stage.streams.read_text().splitlines() if "->" in line
    ]
    assert links.count("/dev/null") >= 2
    assert not [link for link in links if link.startswith(("pipe:", "socket:"))]
    assert [link for link in links if link.endswith(f".inbox/{inbox.LOCK}")]
    assert Path(f"{stage.streams}.sid").read_text().strip() != str(os.getsid(0))


def test_an_interpreter_that_is_not_there_gives_the_place_back(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detach, "environment", lambda: {detach.PYTHON_VARIABLE: "/no/python"})
    with pytest.raises(OSError, match="No such file"):
        stage.start()
    stage.wait_until_free()
    stage.hold.unlink()


def test_where_locks_do_not_work_a_process_is_started_all_the_same(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def unsupported(*arguments: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    assert stage.start()
    assert stage.start()
    stage.hold.unlink()


def test_without_locks_a_marker_takes_their_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    folder = str(tmp_path / "a.inbox")
    assert take_lock(folder) == -1
    assert take_lock(folder) is None
    give_back(folder, -1)
    assert take_lock(folder) == -1
    marker = tmp_path / "a.inbox" / f"{inbox.LOCK}.marker"
    old = time.time() - detach.STALE_SECONDS - 5
    os.utime(marker, (old, old))  # of a process that died
    assert take_lock(folder) == -1
    os.utime(marker, (old, old))
    detach.renew(folder, -1)
    assert take_lock(folder) is None
    give_back(folder, -1)
    give_back(folder, -1)


def test_the_working_folder_is_no_place_to_load_code_from(tmp_path: Path) -> None:
    for name in ("casstore", "orjson", "zstandard", "site", "json", "os", "sqlite3"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    root = str(Path(detach.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", detach._CODE, root, str(tmp_path / "s.sqlite"), "-1"],
        capture_output=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "s.sqlite").exists()
