"""The exact reader and writer: JSON text to values and back, with nothing lost on the way.

What orjson cannot keep, this can: integers of any length up to `MAX_INT_DIGITS`, NaN and the
infinities (as the tokens ``NaN``, ``Infinity``, ``-Infinity`` that ComfyUI writes), and lone
surrogates (as ``\\ud83d`` escapes). It is the standard library's C scanner and encoder, reached
without ``import json``: that pulls in ``re`` and ``enum`` and costs 9 ms of a 12 ms start, which
the scripts pay on every call. Where the private module is missing, ``json`` itself is used.
"""

from __future__ import annotations

from casstore.errors import InvalidDocument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_INT_DIGITS = 4300
"""Python's own default limit for turning text into an integer."""

MAX_DEPTH = 500
"""Nesting the exact reader and writer accept. The standard library's own limit moves with the
Python version and with how deep the caller already stands; this one does not."""

_WHITESPACE = " \t\n\r"


class DuplicateKey(InvalidDocument):
    """An object names the same key twice (``details``: ``key``)."""

    code = "duplicate_key"


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                shown = key.encode("utf-8", "backslashreplace").decode()
                raise DuplicateKey(
                    f"the key {shown!r} stands twice in one object; keep one of the two", key=shown
                )
            seen.add(key)
    return value


def _stdlib() -> tuple[Callable[[str, bool], Any], Callable[[Any, bool], str]]:
    """The public module's form of the same two functions."""
    import json

    def load(text: str, unique: bool) -> Any:
        return json.loads(text, object_pairs_hook=_refuse_duplicates if unique else None)

    def dump(value: Any, sort_keys: bool) -> str:
        return json.dumps(
            value,
            ensure_ascii=False,
            separators=(",", ":"),
            sort_keys=sort_keys,
            check_circular=False,
        )

    return load, dump


def _accelerated() -> tuple[Callable[[str, bool], Any], Callable[[Any, bool], str]]:
    """The same through the C accelerator alone. Raises where it is not as expected."""
    accelerator: Any = __import__("_json")  # private: not in every type checker's library

    constants = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

    class Settings:
        strict = True
        object_hook = None
        parse_float = float
        parse_int = int
        parse_constant = constants.__getitem__
        memo: dict[str, str] = {}  # noqa: RUF012  # the pure-Python scanner's field; unused in C

        def __init__(self, hook: Any) -> None:
            self.object_pairs_hook = hook

    scan_unique = accelerator.make_scanner(Settings(_refuse_duplicates))
    scan_plain = accelerator.make_scanner(Settings(None))

    def load(text: str, unique: bool) -> Any:
        start, end = 0, len(text)
        while start < end and text[start] in _WHITESPACE:
            start += 1
        try:
            value, stop = (scan_unique if unique else scan_plain)(text, start)
        except (StopIteration, SystemError):
            # before 3.13 the scanner sets no exception at all where json.decoder is not loaded
            return explain(text, unique)
        if text[stop:].strip(_WHITESPACE):
            return explain(text, unique)
        return value

    def explain(text: str, unique: bool) -> Any:
        return _stdlib()[0](text, unique)  # raises with the line and column

    def dump(value: Any, sort_keys: bool) -> str:
        encode = accelerator.make_encoder(
            None, None, accelerator.encode_basestring, None, ":", ",", sort_keys, False, True
        )
        return "".join(encode(value, 0))

    sample = '{"b":[1,1.5,NaN,"\\ud83d"],"a":{}}'
    value = load(sample, True)
    if b"\\ud83d" not in dump(value, False).encode("utf-8", "backslashreplace"):
        raise ImportError("the accelerator writes other text than expected")
    return load, dump


def _choose() -> tuple[Callable[[str, bool], Any], Callable[[Any, bool], str]]:
    try:
        return _accelerated()
    except Exception:  # a private module may change in any way
        return _stdlib()


_load, _dump = _choose()


def loads(text: str, *, unique_keys: bool = True, where: str = "the text") -> Any:
    """The value of a JSON text.

    ``unique_keys=False`` keeps the last of duplicate keys, as ``json.loads`` and ComfyUI do.
    Raises `InvalidDocument` with what is wrong at which line and column of ``where``.
    """
    try:
        return _load(text, unique_keys)
    except DuplicateKey as error:
        raise DuplicateKey(f"{where}: {error.message}", **error.details) from None
    except RecursionError:
        raise InvalidDocument(
            f"{where} is nested deeper than {MAX_DEPTH} levels; casstore cannot keep it",
            limit=MAX_DEPTH,
        ) from None
    except ValueError as error:  # JSONDecodeError, or an integer past MAX_INT_DIGITS
        line, column = getattr(error, "lineno", None), getattr(error, "colno", None)
        if line is None:
            raise InvalidDocument(
                f"{where} holds an integer of more than {MAX_INT_DIGITS} digits",
                limit=MAX_INT_DIGITS,
            ) from None
        raise InvalidDocument(
            f"{where} is not valid JSON: {getattr(error, 'msg', error)} at line {line}, "
            f"column {column}",
            line=line,
            column=column,
        ) from None


def dumps(value: Any, *, sort_keys: bool = False) -> bytes:
    """The compact JSON text of a value as UTF-8, keys in their order (or sorted by code point).

    The value must hold only the types that JSON text gives (`check` tells); other types are
    written as ``json.dumps`` would, which is not exact.
    """
    # backslashreplace meets lone surrogates only, and writes them as JSON's own escape
    return _dump(value, sort_keys).encode("utf-8", "backslashreplace")


def check(value: Any, where: str) -> None:
    """Raises `InvalidDocument`, naming the place, where a value would not survive a round trip
    through JSON text: other types than ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool``
    and ``None`` exactly, keys that are not ``str``, too deep, an integer too long.
    """
    stack: list[tuple[Any, tuple[Any, ...], int]] = [(value, (), 0)]
    while stack:
        item, path, depth = stack.pop()
        kind = type(item)
        if kind is dict or kind is list:
            if depth >= MAX_DEPTH:
                raise InvalidDocument(
                    f"{where} is nested deeper than {MAX_DEPTH} levels, or contains itself; "
                    f"casstore cannot keep it",
                    limit=MAX_DEPTH,
                )
            if kind is list:
                stack.extend((child, (*path, i), depth + 1) for i, child in enumerate(item))
                continue
            for key, child in item.items():
                if type(key) is not str:
                    raise InvalidDocument(
                        f"{_place(where, path)} has the key {key!r} of type "
                        f"{type(key).__name__}; JSON keys are strings: use str() on it"
                    )
                _check_text(key, where, path)
                stack.append((child, (*path, key), depth + 1))
        elif kind is str:
            _check_text(item, where, path)
        elif kind is int:
            if item.bit_length() > 14_283:  # the largest that is sure to fit in MAX_INT_DIGITS
                raise InvalidDocument(
                    f"{_place(where, path)} is an integer of more than {MAX_INT_DIGITS} digits",
                    limit=MAX_INT_DIGITS,
                )
        elif not (item is None or kind is bool or kind is float):
            raise InvalidDocument(
                f"{_place(where, path)} is of type {kind.__module__}.{kind.__qualname__}, which "
                f"JSON text cannot give back; {_ADVICE.get(kind.__name__, _ADVICE_ELSE)}"
            )


_ADVICE = {"tuple": "pass a list", "set": "pass a sorted list", "bytes": "decode it to str"}
_ADVICE_ELSE = "convert it to dict, list, str, int, float, bool or None first"


def _check_text(text: str, where: str, path: tuple[Any, ...]) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError:
        # One by one lone surrogates are kept; a high one before a low one would come back
        # as the one character that the pair means.
        twice = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        if twice != text:
            raise InvalidDocument(
                f"{_place(where, path)} holds a surrogate pair as two characters; "
                f"JSON would give back one: join them first"
            ) from None


def _place(where: str, path: tuple[Any, ...]) -> str:
    for step in path:
        if isinstance(step, str):
            shown = step.encode("utf-8", "backslashreplace").decode()
            where += f".{shown}" if shown.isidentifier() else f"[{shown!r}]"
        else:
            where += f"[{step}]"
    return where
