"""Text for people: what is printed cannot steer the terminal and fits its width.

Every piece of data passes `printable` here; colours are put on afterwards. All functions are
pure: the caller says how wide the terminal is and whether it takes colours.
"""

from __future__ import annotations

import unicodedata

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Line = str | tuple[str, str]

_JOINERS = "\u200c\u200d"  # invisible, but they shape scripts and emoji
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    """The text with control characters, direction marks and lone surrogates as escapes."""
    if text.isprintable():
        return text
    text = proper(text)
    return "".join(c if c.isprintable() or c in _JOINERS else _escaped(c) for c in text)


def proper(text: str) -> str:
    """The text as UTF-8 where Python could not decode it by the locale and kept its bytes
    (https://peps.python.org/pep-0383/); else as it is."""
    try:
        return text.encode("utf-8", "surrogateescape").decode()
    except UnicodeError:
        return text


def _escaped(character: str) -> str:
    code = ord(character)
    if character in _SHORT:
        return _SHORT[character]
    return (
        f"\\x{code:02x}"
        if code < 0x100
        else f"\\u{code:04x}"
        if code < 0x10000
        else f"\\U{code:08x}"
    )


def size(count: int) -> str:
    """A number of bytes in three figures: ``512 B``, ``97.3 kB``, ``1.20 GB`` (powers of 1000)."""
    if abs(count) < 1000:
        return f"{count} B"
    value, unit = float(count), "B"
    for unit in ("kB", "MB", "GB", "TB"):  # noqa: B007  # the one that fits is used below
        value /= 1000
        if abs(value) < 999.5:
            break
    digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{digits}f} {unit}"


def counted(number: int, noun: str) -> str:
    """``1 version``, ``1,234 versions``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def width_of(text: str) -> int:
    """Columns that a printable text takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or character in _JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, width: int) -> str:
    """A printable text in at most ``width`` columns, the end of a longer one as ``…``."""
    if width_of(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def lines(parts: Iterable[Line], *, color: bool) -> str:
    """Lines of text; a pair is a label and its value, values aligned with each other."""
    parts = list(parts)
    labels = max((len(part[0]) for part in parts if not isinstance(part, str)), default=0)
    made = []
    for part in parts:
        if isinstance(part, str):
            made.append(printable(part))
        else:
            label = part[0].ljust(labels)
            made.append(f"{_styled(label, color, dim=True)}  {printable(part[1])}".rstrip())
    return "".join(f"{line}\n" for line in made)


def _styled(text: str, color: bool, **style: bool) -> str:
    return click.style(text, **style) if color else text


class Table:
    """Rows as an aligned table, part by part; a part with longer cells makes its columns wider.

    ``width`` is the terminal's. Columns that do not fit share what the narrow ones leave; a
    number is never cut.
    """

    def __init__(self, names: Sequence[str], *, width: int, color: bool) -> None:
        self._names = [printable(name) for name in names]
        self._room = width - 2 * (len(names) - 1)
        self._color = color
        self._needs = [width_of(name) for name in self._names]
        self._begun = False

    def part(self, rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
        """The text of some rows, with the header before the first; ``numeric`` columns are
        aligned to the right."""
        cells = [[printable(_first_look(cell)) for cell in row] for row in rows]
        for column, need in enumerate(self._needs):
            self._needs[column] = max(need, *(width_of(row[column]) for row in cells), 0)
        widths = _shared(self._needs, self._room, numeric)
        made = []
        if not self._begun:
            self._begun = True
            made = [
                _styled(_line(self._names, widths, numeric), self._color, bold=True),
                "  ".join("-" * width for width in widths),
            ]
        made += [_line(row, widths, numeric) for row in cells]
        return "".join(f"{line}\n" for line in made)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    made = []
    for cell, width, number in zip(cells, widths, right, strict=True):
        shown = cut(cell, width)
        space = " " * (width - width_of(shown))
        made.append(space + shown if number else shown + space)
    return "  ".join(made).rstrip()


# No terminal is wider; a cell may hold a document of megabytes.
_LOOK = 1000


def _first_look(cell: str) -> str:
    return cell if len(cell) <= _LOOK else cell[:_LOOK] + "…"


def _shared(needs: Sequence[int], room: int, fixed: Sequence[bool]) -> list[int]:
    """What each column gets of ``room``: its need where it is fixed or needs no more than a fair
    share of what is left, else that share, at least 4."""
    widths = [0] * len(needs)
    order = sorted(range(len(needs)), key=lambda column: (not fixed[column], needs[column]))
    for left, column in zip(range(len(order), 0, -1), order, strict=True):
        share = needs[column] if fixed[column] else max(4, room // left)
        widths[column] = max(min(needs[column], share), 1)
        room -= widths[column]
    return widths
