"""What people see cannot steer their terminal, fits it, and reads well."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from casstore.cli import terminal
from casstore.cli.progress import Progress
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢 🙂 \u0301", "plain é 漢 🙂 \u0301"),
        ("\x1b[2J\x07\x7f\x9b", "\\x1b[2J\\x07\\x7f\\x9b"),
        ("a\nb\rc\td", "a\\nb\\rc\\td"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud83d \udcff", "\\ud83d \\udcff"),
        ("\U000e0001", "\\U000e0001"),
        ("👩\u200d🔧", "👩\u200d🔧"),
    ],
)
def test_no_data_can_steer_the_terminal(text: str, shown: str) -> None:
    assert terminal.printable(text) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (9_994, "9.99 kB"),
        (9_996, "10.0 kB"),
        (97_312, "97.3 kB"),
        (99_960, "100 kB"),
        (999_499, "999 kB"),
        (999_500, "1.00 MB"),
        (123_456_789, "123 MB"),
        (4_600_000_000, "4.60 GB"),
        (10**15, "1000 TB"),
    ],
)
def test_sizes_have_three_figures(count: int, shown: str) -> None:
    assert terminal.size(count) == shown


def test_counts_have_their_noun() -> None:
    assert terminal.counted(1, "version") == "1 version"
    assert terminal.counted(0, "version") == "0 versions"
    assert terminal.counted(12345, "version") == "12,345 versions"


def test_wide_and_combining_characters_are_counted_as_they_are_shown() -> None:
    assert terminal.width_of("ab") == 2
    assert terminal.width_of("漢字") == 4
    assert terminal.width_of("e\u0301") == 1
    assert terminal.cut("漢字漢字", 5) == "漢字…"
    assert terminal.cut("漢字漢字", 6) == "漢字…"
    assert terminal.cut("abcdef", 6) == "abcdef"
    assert terminal.cut("abcdefg", 6) == "abcde…"


def test_labels_are_aligned_and_only_they_are_styled() -> None:
    parts: list[str | tuple[str, str]] = ["head\x1b", ("a", "x\n"), ("label", "")]
    assert terminal.lines(parts, color=False) == "head\\x1b\na      x\\n\nlabel\n"
    assert terminal.lines(parts, color=True) == (
        "head\\x1b\n\x1b[2ma    \x1b[0m  x\\n\n\x1b[2mlabel\x1b[0m\n"
    )


def test_a_session_cannot_steer_the_terminal(run: Run) -> None:
    answer = run("save", "-", "--session", "\x1b[31mred", stdin=b"{}")
    assert answer.text == "saved version 1 of session \\x1b[31mred (2 B)\n"
    assert run("restore", "--session", "\x1b[31m").err.startswith("casstore: the session '\\x1b")
    rows = run("sql", "SELECT session_id FROM workflow_version").text
    assert rows == "session_id\n\\x1b[31mred\n"


class Clock:
    """Seconds that pass when told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_keeps_still_for_a_second() -> None:
    clock, out = Clock(), Terminal()
    with Progress("work", out, clock) as progress:
        clock.now += 0.9
        progress(1, 2)
    assert out.getvalue() == ""


def test_progress_on_a_terminal_is_one_line_that_goes_away() -> None:
    clock, out = Clock(), Terminal()
    with Progress("taking over\n", out, clock) as progress:
        clock.now += 1.0
        progress(1000, 4000)
        clock.now += 0.05
        progress(1001, 4000)
        clock.now += 0.1
        progress(4, 8)
    first, second = "taking over\\n: 1,000 of 4,000 (25%)", "taking over\\n: 4 of 8 (50%)"
    blank = " " * len(first)
    assert out.getvalue() == f"\r{first}\r{second.ljust(len(first))}\r{blank}\r"


def test_progress_in_a_log_is_a_line_every_ten_seconds() -> None:
    clock, out = Clock(), io.StringIO()
    with Progress("work", out, clock) as progress:
        for _ in range(24):
            clock.now += 0.5
            progress(1, 0)
    assert out.getvalue() == "casstore: work: 1 of 0\n" * 2


def test_progress_fits_eighty_columns() -> None:
    clock, out = Clock(), Terminal()
    with Progress("/very" * 100, out, clock) as progress:
        clock.now += 1.0
        progress(1, 1_000_000)
    line = out.getvalue().split("\r")[1]
    assert len(line) == 79
    assert line.endswith("…: 1 of 1,000,000 (0%)")


def test_a_stderr_that_fails_does_not_end_the_work() -> None:
    class Full(Terminal):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    clock = Clock()
    for out in (Full(), None):
        with Progress("work", out, clock) as progress:
            clock.now += 2.0
            progress(1, 2)
            clock.now += 2.0
            progress(2, 2)


def test_progress_of_a_take_over_is_wired(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from tests.cli.test_migrate import ROWS, TABLE

    monkeypatch.setattr("casstore.cli.progress._PATIENCE", -1.0)
    monkeypatch.setattr("casstore.takeover._PAUSE", 0.0)
    for name in ("one.db", "two.db", "three.db"):
        connection = sqlite3.connect(project / name)
        connection.execute(TABLE)
        connection.executemany("INSERT INTO workflow_version VALUES (?, ?, ?, ?, ?, ?)", ROWS)
        connection.commit()
        connection.close()
    assert "casstore: copying three.db: " in run("migrate", "three.db", "new.db").err
    assert "casstore: taking over one.db: " in run("migrate", "one.db").err
    assert f"casstore: taking over {project / 'two.db'}: " in run("info", "--store", "two.db").err
