"""Real processes: bytes, locales, pipes, terminals and signals as a shell gives them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import API, Run, environment, process

posix = pytest.mark.skipif(sys.platform == "win32", reason="as on POSIX")
WF = str(Path("projects", "demo", "inputs", "wf.json"))


def start(
    *arguments: str, stdin: bytes = b"", locale: dict[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        process(*arguments),
        input=stdin,
        capture_output=True,
        env=environment(**(locale or {})),
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def test_python_m_casstore_saves_and_restores_the_exact_bytes(project: Path) -> None:
    code, out, err = start("save", WF, "--session", "s")
    assert (code, err) == (0, b"")
    assert out.replace(b"\r\n", b"\n") == b"saved version 1 of session s (89 B)\n"
    assert start("restore", "--session", "s") == (0, API, b"")
    data = b'{\r\n"a": "\\r", "b": "\xe2\x80\xa8"}\r\n'
    assert start("save", "-", "--session", "crlf", stdin=data)[0] == 0
    assert start("restore", "--session", "crlf") == (0, data, b"")


LOCALES = [
    {"LC_ALL": "C"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "latin-1"},
]


@pytest.mark.parametrize("locale", LOCALES)
def test_output_is_utf8_in_every_locale(project: Path, locale: dict[str, str]) -> None:
    (project / "wf é.json").write_bytes(API)
    text = '{"6": {"class_type": "漢字", "inputs": {"text": "cat \\ud83d"}}}'.encode()
    assert start("save", "-", "--session", "s", stdin=text, locale=locale)[0] == 0
    assert start("restore", "--session", "s", locale=locale)[1] == text
    assert start("restore", "--session", "s", "--json", locale=locale)[1].count(text) == 1
    sql = b"SELECT workflow_data FROM workflow_version"
    for form in ([], ["--json"]):
        code, out, _ = start("sql", *form, stdin=sql, locale=locale)
        assert code == 0
        assert "漢字".encode() in out
    assert start("save", "wf é.json", "--session", "é", locale=locale)[0] == 0
    code, out, _ = start("restore", "--session", "é", "--json", locale=locale)
    assert (code, '"session_id":"é"'.encode() in out) == (0, True)
    code, out, _ = start("sql", "SELECT path FROM workflow_version_meta", locale=locale)
    assert (code, out.decode()) == (0, "path\nNULL\nwf é.json\n")
    code, out, err = start("where", "--store", "s\u00e9", locale=locale)
    assert (code, err) == (0, b"")
    assert "a projéct/sé\n".encode() in out
    _, out, _ = start("where", "--store", "sé", "--json", locale=locale)
    assert 'a projéct/sé"'.encode() in out
    code, _, err = start("info", "--store", "x", locale=locale)
    assert code == 10
    assert "a projéct".encode() in err


@posix
def test_a_reader_that_goes_away_ends_the_run_quietly(project: Path) -> None:
    numbers = (
        "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 300000) "
        "SELECT i FROM n"
    )
    assert start("save", WF, "--session", "s")[0] == 0
    restore = ["restore", "--session", "s"]
    for arguments in (["sql", numbers], ["sql", "--json", numbers], restore, ["info"], ["--help"]):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            process(*arguments), stdout=write, stderr=subprocess.PIPE, env=environment()
        )
        os.close(write)
        assert (arguments, done.returncode, done.stderr) == (arguments, 1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_an_error(project: Path) -> None:
    assert start("save", WF, "--session", "s")[0] == 0
    for arguments in (["restore", "--session", "s"], ["info"], ["info", "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                process(*arguments), stdout=full, stderr=subprocess.PIPE, env=environment()
            )
        assert done.returncode == 14
        assert done.stderr == (
            b"casstore: the answer cannot be written to stdout: No space left on device\n"
        )
    for arguments in (["--help"], ["restore", "--session", "s", "--no", "--json"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                process(*arguments), stdout=full, stderr=subprocess.PIPE, env=environment()
            )
        assert done.returncode in (1, 2)
        assert done.stderr.startswith(b"casstore: ")
        assert done.stderr.count(b"\n") == 1


@posix
def test_closed_streams_are_no_traceback(project: Path) -> None:
    assert start("save", WF, "--session", "s")[0] == 0
    quoted = " ".join(f"'{part}'" for part in process())
    for close, code in ((">&-", 14), (">&- 2>&-", 14), ("2>&-", 0), ("<&-", 0)):
        done = subprocess.run(
            ["sh", "-c", f"{quoted} restore --session s {close}"],
            capture_output=True,
            env=environment(),
        )
        assert done.returncode == code
        assert b"Traceback" not in done.stderr
    done = subprocess.run(
        ["sh", "-c", f"{quoted} save - --session s <&-"], capture_output=True, env=environment()
    )
    assert done.returncode == 2
    assert done.stderr == b"casstore: stdin is a terminal; name a file or pipe one in\n"


@posix
def test_an_interrupted_statement_ends_with_130_and_changes_nothing(project: Path) -> None:
    assert start("save", WF, "--session", "s")[0] == 0
    endless = (
        "DELETE FROM workflow_version WHERE id < (WITH RECURSIVE n (i) AS "
        "(VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n)"
    )
    with subprocess.Popen(
        process("sql", "--write", endless),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        start_new_session=True,
    ) as running:
        try:
            wait_for_write(project, running)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    assert (running.returncode, out) == (130, b"")
    assert err.endswith(b"casstore: interrupted\n")
    assert b"Traceback" not in err
    assert start("restore", "--session", "s") == (0, API, b"")


def wait_for_write(project: Path, running: subprocess.Popen[bytes]) -> None:
    """Waits until the process holds the store's write lock."""
    import sqlite3

    store = project / "host" / ".cache" / "checkpoint.sqlite"
    while running.poll() is None:
        connection = sqlite3.connect(store, timeout=0, isolation_level=None)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return
        finally:
            connection.close()
    raise AssertionError(running.communicate())


@posix
class TestOnATerminal:
    """What a person sees, through a pseudo-terminal of 80 columns."""

    def see(self, *arguments: str, **environ: str) -> tuple[int, str]:
        import fcntl
        import pty
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        running = subprocess.Popen(
            process(*arguments),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment(TERM="xterm", **environ),
        )
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # Linux's way to say that the other end is closed
            pass
        os.close(ours)
        return running.wait(60), seen.decode().replace("\r\n", "\n")

    def test_labels_and_errors_are_coloured_unless_nobody_wants_it(
        self, saved: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        code, text = self.see("info")
        assert code == 0
        assert "\x1b[2mversions \x1b[0m  3 in 2 sessions\n" in text
        code, text = self.see("restore", "--version", "9")
        assert code == 13
        assert text.startswith("\x1b[31mcasstore:\x1b[0m there is no version 9")
        assert "\x1b" not in self.see("info", NO_COLOR="1")[1]
        assert "\x1b" not in self.see("restore", "--version", "9", NO_COLOR="1")[1]

    def test_rows_are_a_table_that_fits(self, saved: Run) -> None:
        sql = "SELECT * FROM workflow_version"
        code, text = self.see("sql", sql, NO_COLOR="1")
        lines = text.splitlines()
        assert code == 0
        assert lines[0].split() == [
            "id",
            "session_id",
            "workflow_data",
            "workflow_data_…",
            "attributes",
            "created_at",
        ]
        assert lines[-1] == "(3 rows)"
        assert len(lines) == 6
        assert max(map(len, lines)) <= 80
        assert self.see("sql", sql)[1].startswith("\x1b[1mid  session_id")

    def test_a_document_ends_with_a_line_and_binary_does_not_come(
        self, saved: Run, project: Path
    ) -> None:
        import casstore

        with casstore.open_store(project / "host" / ".cache" / "checkpoint.sqlite") as store:
            store.save("compact", {"a": "é"})
            store.save_file("png", b"\x89PNG\r\n\x1a\n")
            store.save_file("escape", b"\x1b[31m")
        assert self.see("restore", "--session", "compact") == (0, '{"a":"é"}\n')
        for session in ("png", "escape"):
            code, text = self.see("restore", "--session", session, NO_COLOR="1")
            assert code == 2
            assert text == (
                "casstore: the content is binary and stdout is a terminal; add --to FILE\n"
            )

    def test_stdin_from_a_keyboard_is_refused(self, saved: Run) -> None:
        for arguments in (["sql"], ["save", "-", "--session", "s"]):
            code, text = self.see(*arguments, NO_COLOR="1")
            assert code == 2
            assert text == "casstore: stdin is a terminal; name a file or pipe one in\n"
