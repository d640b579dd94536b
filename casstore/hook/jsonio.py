"""Reads and writes the small JSON of events and captures without ``import json``.

``json`` pulls in ``re`` and costs 15 ms of a 9 ms start; its C scanner alone costs 0.3. The
scanner is private: where it is missing or does not read a sample as expected, ``json`` is used.
Workflow documents never come through here; `casstore.jsontext` is the exact reader.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SAMPLE = '{"a": [1, "\\u00e9\\/", null, true, 1.5], "a": {}}'


class NotJson(ValueError):
    """The text is not one JSON value."""


def loads(data: bytes) -> "Any":
    """The value of a JSON text in UTF-8, with or without a byte order mark. Lenient where that
    does no harm: of duplicate keys the last counts, control characters may stand in strings.
    Raises `NotJson`.
    """
    try:
        text = data.decode("utf-8").lstrip("\ufeff")
        return _scan(text)
    except (ValueError, StopIteration, RecursionError) as error:
        raise NotJson(f"{type(error).__name__} in {len(data)} bytes") from None


def dumps(value: "Any") -> str:
    """Compact JSON in ASCII for ``dict`` with text keys, ``list``, ``str``, ``int``, ``float``,
    ``bool`` and None."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_quote(k)}:{dumps(v)}" for k, v in value.items()]) + "}"
    return "[" + ",".join([dumps(item) for item in value]) + "]"


def _integer(text: str) -> "int | float":
    # int() refuses more than 4,300 digits, which must not cost the whole event
    return int(text) if len(text) < 20 else float(text)


def _accelerated() -> "tuple[Callable[[str], Any], Callable[[str], str]]":
    """Raises where the private module is not as expected."""
    accelerator: Any = __import__("_json")

    class Settings:
        strict = False
        object_hook = None
        object_pairs_hook = None
        parse_float = float
        parse_int = staticmethod(_integer)
        parse_constant = staticmethod(float)
        memo: dict[str, str] = {}  # noqa: RUF012  # a field of the pure-Python scanner

    scan = accelerator.make_scanner(Settings())

    def load(text: str) -> "Any":
        body = text.strip(" \t\r\n")
        value, end = scan(body, 0)
        if end != len(body):
            raise ValueError("more than one value")
        return value

    quote: Callable[[str], str] = accelerator.encode_basestring_ascii
    if load(_SAMPLE) != {"a": {}} or quote("\xe9\n") != '"\\u00e9\\n"':
        raise ImportError("the accelerator works otherwise than expected")
    return load, quote


def _standard() -> "tuple[Callable[[str], Any], Callable[[str], str]]":
    import json

    def load(text: str) -> "Any":
        return json.loads(text, strict=False, parse_int=_integer)

    return load, json.dumps


def _choose() -> "tuple[Callable[[str], Any], Callable[[str], str]]":
    try:
        return _accelerated()
    except Exception:  # a private module may change in any way
        return _standard()


_scan, _quote = _choose()
