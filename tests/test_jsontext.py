"""The exact reader and writer agree with the standard library's, and say what is wrong where."""

from __future__ import annotations

import json
import subprocess
import sys
import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import jsontext
from casstore.errors import InvalidDocument
from tests.support import ROOT
from tests.support.exact import assert_same, in_order
from tests.support.strategies import ANY_VALUE, VALUES, nested

BOTH = pytest.mark.parametrize(
    "form", [jsontext._accelerated(), jsontext._stdlib()], ids=["c", "python"]
)
"""The reader and writer through the private C module, and through the public one."""


class TestReading:
    @BOTH
    @given(ANY_VALUE, st.sampled_from([None, 1]), st.booleans())
    def test_gives_what_the_standard_library_gives(
        self, form: Any, value: Any, indent: int | None, ascii_only: bool
    ) -> None:
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
        for unique in (True, False):
            assert_same(form[0](text, unique), json.loads(text))

    @BOTH
    @pytest.mark.parametrize("text", [" \t\r\n1 \n", "[]", '"a"', "-Infinity", "NaN", "1E400"])
    def test_reads_any_root(self, form: Any, text: str) -> None:
        assert_same(form[0](text, True), json.loads(text))

    @pytest.mark.parametrize(
        ("text", "line", "column"),
        [
            ("", 1, 1),
            ("   ", 1, 4),
            ("{", 1, 2),
            ('{"a":1,}', 1, 8),
            ('{"a" 1}', 1, 6),
            ("[1,\n2,\n 3 4]", 3, 4),
            ("[1]\n]", 2, 1),
            ('"a\nb"', 1, 3),
            ('"\\x"', 1, 2),
            ('"open', 1, 1),
            ("nan", 1, 1),
            ("+1", 1, 1),
            ("\x00", 1, 1),
            ("\u00a01", 1, 1),
            ("1 2", 1, 3),
            ("\ufeff1", 1, 1),
        ],
    )
    def test_names_line_and_column(self, text: str, line: int, column: int) -> None:
        for unique in (True, False):
            with pytest.raises(InvalidDocument) as caught:
                jsontext.loads(text, unique_keys=unique, where="the file")
            assert caught.value.details.items() >= {"line": line}.items()
            assert f"at line {line}, column" in caught.value.message
            assert caught.value.message.startswith("the file is not valid JSON: ")
        if sys.version_info < (3, 13):  # later ones place a trailing comma on the comma
            assert caught.value.details["column"] == column

    @given(st.text(alphabet='[]{}:,"\\ \n01eE.+-truefalsenuNaI\u00e9'))
    def test_accepts_exactly_what_the_standard_library_accepts(self, text: str) -> None:
        try:
            expected = json.loads(text)
        except ValueError:
            with pytest.raises(InvalidDocument):
                jsontext.loads(text, unique_keys=False)
        else:
            assert_same(jsontext.loads(text, unique_keys=False), expected)

    @BOTH
    @pytest.mark.parametrize(
        ("text", "key"),
        [
            ('{"a":1,"a":1}', "a"),
            ('{"a":1,"b":{"c":[{"d":1,"e":2,"d":3}]}}', "d"),
            ('{"\\u0061":1,"a":2}', "a"),
            ('{"":1,"":2}', ""),
            ('{"\\ud83d":1,"\\ud83d":2}', "\\ud83d"),
        ],
    )
    def test_refuses_a_key_that_stands_twice(self, form: Any, text: str, key: str) -> None:
        with pytest.raises(jsontext.DuplicateKey) as caught:
            form[0](text, True)
        assert caught.value.details == {"key": key}
        assert caught.value.code == "duplicate_key"
        assert_same(form[0](text, False), json.loads(text))

    def test_a_key_that_stands_twice_is_named_with_the_place(self) -> None:
        with pytest.raises(jsontext.DuplicateKey, match=r"^the file: the key 'a' stands twice"):
            jsontext.loads('{"a":1,"a":2}', where="the file")

    def test_equal_keys_of_different_objects_are_no_duplicates(self) -> None:
        assert_same(jsontext.loads('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}')["a"]["a"]["a"], 1)

    def test_names_what_is_past_its_limits(self) -> None:
        with pytest.raises(InvalidDocument, match="an integer of more than 4300 digits"):
            jsontext.loads("[" + "1" * 5000 + "]")
        with pytest.raises(InvalidDocument, match="nested deeper than 500 levels"):
            jsontext.loads("[" * 200_000)


class TestWriting:
    @BOTH
    @given(VALUES, st.booleans())
    def test_gives_the_standard_librarys_text(self, form: Any, value: Any, sort_keys: bool) -> None:
        expected = json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=sort_keys)
        assert form[1](value, sort_keys) == expected

    @given(ANY_VALUE)
    def test_gives_text_that_reads_back_exactly(self, value: Any) -> None:
        assert_same(jsontext.loads(jsontext.dumps(value).decode()), value)

    @given(VALUES)
    def test_sorted_keys_change_nothing_but_the_order(self, value: Any) -> None:
        text = jsontext.dumps(value, sort_keys=True).decode()
        assert_same(jsontext.loads(text), in_order(value))

    def test_lone_surrogates_become_escapes(self) -> None:
        assert (
            jsontext.dumps(["\ud83d", "\\\udcff", "\u00e9"])
            == b'["\\ud83d","\\\\\\udcff","\xc3\xa9"]'
        )


class TestChecking:
    @given(ANY_VALUE)
    def test_accepts_every_value_of_json(self, value: Any) -> None:
        jsontext.check(value, "value")

    @pytest.mark.parametrize(
        ("value", "place"),
        [
            ((1,), "value is of type"),
            ([0, (1,)], "value[1] is of type"),
            ({"a": {"b c": {"5": (1,)}}}, "value.a['b c']['5'] is of type"),
            ({"\ud83d": [(1,)]}, "value['\\\\ud83d'][0] is of type"),
            ({"": (1,)}, "value[''] is of type"),
            ({"a": {2: 1}}, "value.a has the key 2 of type int"),
            ([10**5000], "value[0] is an integer of more than 4300 digits"),
            ({"a": "\ud83d\ude00"}, "value.a holds a surrogate pair as two characters"),
            ({"a": {"\ud83d\ude00": 1}}, "value.a holds a surrogate pair as two characters"),
        ],
    )
    def test_names_the_place(self, value: Any, place: str) -> None:
        with pytest.raises(InvalidDocument) as caught:
            jsontext.check(value, "value")
        assert caught.value.message.startswith(place)

    def test_depth_counts_lists_and_objects(self) -> None:
        for seed in range(3):
            jsontext.check(nested(1, jsontext.MAX_DEPTH, seed), "value")
            with pytest.raises(InvalidDocument, match="nested deeper than 500 levels"):
                jsontext.check(nested(1, jsontext.MAX_DEPTH + 1, seed), "value")


class TestWithoutTheAccelerator:
    @pytest.mark.parametrize(
        "module",
        [
            types.SimpleNamespace(),
            types.SimpleNamespace(make_scanner=lambda s: lambda t, i: (None, i)),
            types.SimpleNamespace(
                make_scanner=lambda settings: lambda text, start: (None, len(text)),
                make_encoder=lambda *a: lambda value, level: ["other text"],
                encode_basestring=None,
            ),
        ],
        ids=["empty", "half", "other_text"],
    )
    def test_a_module_that_is_not_as_expected_is_not_used(
        self, monkeypatch: pytest.MonkeyPatch, module: Any
    ) -> None:
        monkeypatch.setitem(sys.modules, "_json", module)
        load, dump = jsontext._choose()
        assert load.__qualname__.startswith("_stdlib.")
        assert dump.__qualname__.startswith("_stdlib.")

    def test_here_the_accelerator_is_used(self) -> None:
        assert jsontext._load.__qualname__.startswith("_accelerated.")

    def test_a_python_without_it_reads_and_writes_the_same(self) -> None:
        code = (
            "import sys; sys.modules['_json'] = None\n"
            "from casstore import jsontext\n"
            "assert jsontext._load.__qualname__.startswith('_stdlib.')\n"
            "value = jsontext.loads('[1e5,NaN,\"\\\\ud83d\",18446744073709552000]')\n"
            "print(jsontext.dumps(value).decode())\n"
            'try: jsontext.loads(\'{"a":1,"a":2}\')\n'
            "except jsontext.DuplicateKey as error: print(error.message)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
        )
        assert done.stderr == ""
        assert done.stdout.splitlines() == [
            '[100000.0,NaN,"\\ud83d",18446744073709552000]',
            "the text: the key 'a' stands twice in one object; keep one of the two",
        ]
