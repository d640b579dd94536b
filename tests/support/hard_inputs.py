"""Files as they are met in the wild, each cut down to the bytes that make it hard.

Every row says what must become of it when it is saved as a workflow:

- `EXACT`: it comes back with the same values, number types and key order;
- `REFUSED`: a typed error with this code, and nothing is stored;
- `POLICY`: casstore's own rule, which the row's test spells out.
"""

from __future__ import annotations

from typing import NamedTuple

EXACT, REFUSED, POLICY = "exact", "refused", "policy"


class HardInput(NamedTuple):
    """One file; ``code`` is the error's where the rule is `REFUSED`."""

    name: str
    data: bytes
    rule: str
    code: str = ""


def _ui(node: str) -> bytes:
    return b'{"nodes":[' + node.encode() + b'],"links":[],"version":0.4}'


def _node(inputs: str, more: str = "") -> bytes:
    return f'{{"5":{{"class_type":"KSampler","inputs":{{{inputs}}}{more}}}}}'.encode()


_BIG = ",".join(f'"{(n * 7919) % 10007}":{n}' for n in range(3000))

HARD_INPUTS = (
    # Numbers. ComfyUI marks nodes that always run with NaN; its editor is JavaScript, where the
    # largest seed has no exact number and is written as one that 64 bits cannot hold.
    HardInput("nan_marks_a_node", _node('"seed":1', ',"is_changed":[NaN]'), EXACT),
    HardInput("both_infinities", _node('"min":-Infinity,"max":Infinity'), EXACT),
    HardInput("seed_limit_of_the_editor", _ui('{"id":1,"max":18446744073709552000}'), EXACT),
    HardInput("largest_64_bit_seed", _node('"seed":18446744073709551615'), EXACT),
    HardInput("just_beyond_64_bits", _node('"seed":18446744073709551616'), EXACT),
    HardInput("below_the_smallest_64_bit", _node('"seed":-9223372036854775809'), EXACT),
    HardInput("integer_of_4300_digits", _node('"seed":1' + "0" * 4299), EXACT),
    HardInput(
        "integer_of_4301_digits", _node('"seed":1' + "0" * 4300), REFUSED, "invalid_document"
    ),
    HardInput("integer_beside_float", _node('"cfg":7,"denoise":7.0,"b":true,"n":null'), EXACT),
    HardInput(
        "float_spellings",
        _node('"f":[1e5,1E+05,1.50,-0.0,-0,0.1,1e16,1e22,1e23,123456789.123456789,2.5e-9]'),
        EXACT,
    ),
    HardInput("smallest_and_largest_float", _node('"f":[4.9e-324,1.7976931348623157e308]'), EXACT),
    HardInput("float_past_the_largest", _node('"f":1e999'), EXACT),
    # Text.
    HardInput("half_a_surrogate_pair", _node('"text":"a \\ud83e cat"'), EXACT),
    HardInput("the_other_half", _node('"text":"\\udd8a"'), EXACT),
    HardInput("a_pair_of_escapes", _node('"text":"\\ud83e\\udd8a"'), EXACT),
    HardInput("half_a_pair_in_a_key", _node('"\\ud83e":1,"plain":2'), EXACT),
    HardInput("nul_in_text", _node('"text":"before\\u0000after"'), EXACT),
    HardInput("all_control_escapes", _node('"text":"\\b\\f\\n\\r\\t\\u001f\\/\\\\\\""'), EXACT),
    HardInput("two_forms_of_an_accent", _node('"e\u0301":"\u00e9","\u00e9":"e\u0301"'), EXACT),
    HardInput("line_separators", _node('"text":"\u2028\u2029\u0085\ufeff"'), EXACT),
    HardInput("raw_newline_in_text", b'{"5":{"text":"a\nb"}}', REFUSED, "invalid_document"),
    HardInput("latin_1_bytes", b'{"5":{"text":"caf\xe9"}}', REFUSED, "invalid_document"),
    HardInput("surrogates_as_utf_8", b'{"5":"\xed\xa0\xbd"}', REFUSED, "invalid_document"),
    HardInput(
        "image_in_the_document",
        _node('"image":"data:image/png;base64,' + "iVBORw0KGgo" * 190_000 + '"'),
        EXACT,
    ),
    # Order and shape.
    HardInput("nodes_out_of_order", b'{"30":{"class_type":"A"},"4":{"class_type":"B"}}', EXACT),
    HardInput(
        "widgets_as_an_object",
        _ui('{"id":2,"widgets_values":{"video":"b.mp4","loop":1,"fps":24.0,"a":null}}'),
        EXACT,
    ),
    HardInput(
        "position_as_an_object", _ui('{"id":3,"pos":{"1":40,"0":12.5},"size":{"0":1}}'), EXACT
    ),
    HardInput(
        "links_as_objects",
        b'{"version":1,"links":[{"id":9,"target_id":-20,"origin_id":-10}],"nodes":[]}',
        EXACT,
    ),
    HardInput(
        "posted_to_the_server",
        b'{"prompt":{"5":{"class_type":"KSampler","inputs":{}}},"client_id":"c","number":-1}',
        EXACT,
    ),
    HardInput("three_thousand_shuffled_keys", b"{" + _BIG.encode() + b"}", EXACT),
    HardInput("empty_object", b"{}", EXACT),
    HardInput("empty_key", b'{"":{"":""}}', EXACT),
    HardInput("white_space_around", b' \r\n\t{"5" : [ 1 , 2 ] }\n\n', EXACT),
    HardInput("nested_400_levels", b'{"a":' * 400 + b"[]" + b"}" * 400, EXACT),
    HardInput("nested_499_levels", b'{"a":' * 499 + b"[]" + b"}" * 499, EXACT),
    HardInput(
        "nested_500_levels", b'{"a":' * 500 + b"[]" + b"}" * 500, REFUSED, "invalid_document"
    ),
    HardInput("nested_100000_levels", b'{"a":' * 100_000, REFUSED, "invalid_document"),
    # No workflow at all.
    HardInput("no_bytes", b"", REFUSED, "invalid_document"),
    HardInput("only_white_space", b" \n", REFUSED, "invalid_document"),
    HardInput("cut_off", b'{"nodes":[{"id":7,"typ', REFUSED, "invalid_document"),
    HardInput("web_page", b"<!DOCTYPE html>\n<html>404</html>", REFUSED, "invalid_document"),
    HardInput("image", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", REFUSED, "invalid_document"),
    HardInput("utf_16", '{"5":1}'.encode("utf-16"), REFUSED, "invalid_document"),
    HardInput("two_documents", b'{"a":1}{"b":2}', REFUSED, "invalid_document"),
    HardInput("trailing_comma", b'{"a":1,}', REFUSED, "invalid_document"),
    HardInput("a_comment", b'{"a":1} // note', REFUSED, "invalid_document"),
    HardInput("single_quotes", b"{'a':1}", REFUSED, "invalid_document"),
    HardInput("leading_zero", b'{"a":01}', REFUSED, "invalid_document"),
    # casstore's own rules.
    HardInput("byte_order_mark", b'\xef\xbb\xbf{"nodes":[],"links":[]}', POLICY),
    HardInput("same_key_twice", b'{"5":{"class_type":"A"},"5":{"class_type":"B"}}', POLICY),
    HardInput("same_key_twice_inside", b'{"5":{"in\\u0070uts":1,"inputs":2}}', POLICY),
    HardInput("null", b"null", POLICY),
)


def with_rule(rule: str) -> list[HardInput]:
    """The rows of one rule."""
    return [row for row in HARD_INPUTS if row.rule == rule]


def name_of(row: object) -> str:
    """The test id of a row."""
    return row.name if isinstance(row, HardInput) else str(row)
