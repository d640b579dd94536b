"""Which text of a picture becomes the prompt and which the workflow, and that it stays exact."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import jsontext, pictures
from casstore.pictures import judge
from casstore.pictures.found import PROMPT as P
from casstore.pictures.found import UNNAMED, Found
from casstore.pictures.found import WORKFLOW as W
from tests.pictures.build import PROMPT, WORKFLOW, png, text_chunk
from tests.pictures.conftest import Read

ELSEWHERE = PROMPT.replace("KSampler", "Other")


class Notes:
    """The part of a picture that the judge uses."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, remark: str) -> None:
        self.notes.append(remark)


def judged(*texts: tuple[str, str]) -> tuple[str | None, str | None, list[str]]:
    notes = Notes()
    found = [Found(label, text, "there") for label, text in texts]
    verdict = judge.judged(notes, found)  # type: ignore[arg-type]
    return verdict.prompt, verdict.workflow, notes.notes


def test_each_document_goes_where_its_format_says() -> None:
    assert judged((P, PROMPT), (W, WORKFLOW)) == (PROMPT, WORKFLOW, [])
    assert judged((W, PROMPT)) == (PROMPT, None, [])
    assert judged((P, WORKFLOW)) == (None, WORKFLOW, [])
    assert judged((UNNAMED, PROMPT), (UNNAMED, WORKFLOW)) == (PROMPT, WORKFLOW, [])


@pytest.mark.parametrize("wraps", range(5))
def test_documents_wrapped_in_json_strings_are_unwrapped(wraps: int) -> None:
    text = PROMPT
    for _ in range(wraps):
        text = json.dumps(text)
    assert judged((P, text)) == (PROMPT, None, [])


def test_more_wraps_than_any_writer_makes_are_refused() -> None:
    text = PROMPT
    for _ in range(5):
        text = json.dumps(text)
    assert judged((P, text))[2] == ["its prompt (there) is wrapped in more than 4 JSON strings"]


def test_a_lone_surrogate_in_a_wrapped_text_becomes_an_escape_again() -> None:
    inner = '{"1": {"class_type": "T", "inputs": {"text": "cat \ud83d"}}}'
    prompt, _, notes = judged((P, json.dumps(inner)))
    assert prompt is not None
    assert prompt == inner.replace("\ud83d", "\\ud83d")
    assert json.loads(prompt) == json.loads(inner)
    assert notes == []


def test_an_object_with_both_is_taken_apart() -> None:
    both = json.dumps({"prompt": PROMPT, "workflow": json.loads(WORKFLOW), "x": 1})
    compact = WORKFLOW.replace(": ", ":").replace(", ", ",")
    assert judged((UNNAMED, both)) == (PROMPT, compact, [])
    assert judged((P, both)) == (PROMPT, compact, [])
    assert judged((UNNAMED, '{"prompt": "a cat", "workflow": null}')) == (
        None,
        None,
        ["its metadata (there) is not valid JSON: Expecting value at line 1, column 1"],
    )


@pytest.mark.parametrize("text", ["null", ' "null" '])
def test_null_is_nothing_and_needs_no_note(text: str) -> None:
    assert judged((W, text), (P, PROMPT)) == (PROMPT, None, [])


@pytest.mark.parametrize(
    "text", ["{}", "[]", "1", '{"positive": "a cat"}', '{"1": {"inputs": {}}}']
)
def test_other_json_is_noted(text: str) -> None:
    assert judged((P, text)) == (
        None,
        None,
        ["its prompt (there) is JSON, but no ComfyUI workflow"],
    )


@pytest.mark.parametrize("text", ["a cat", "{", "{}", "[1]", "", '{"a": 1, "a": 2}'])
def test_a_comment_about_something_else_needs_no_note(text: str) -> None:
    assert judged((UNNAMED, text)) == (None, None, [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not valid JSON: Expecting value at line 1, column 1"),
        ("a cat", "is not valid JSON: Expecting value at line 1, column 1"),
        (PROMPT + PROMPT, "is not valid JSON: Extra data at line 1, column"),
        ('{"1": {"class_type": "A"}, "1": {"class_type": "B"}}', "the key '1' stands twice in one"),
        ('{"1":{"class_type":"A","a":' + "[" * 600 + "]" * 600 + "}}", "nested deeper than 500"),
        ('{"1":{"class_type":"A","a":' + "[" * 10**5 + "]" * 10**5 + "}}", "nested deeper than"),
        ('{"1":{"class_type":"A","a":' + "9" * 5000 + "}}", "an integer of more than 4300 digits"),
    ],
    ids=["empty", "text", "two", "twice", "deep", "very deep", "long integer"],
)
def test_what_cannot_be_kept_exactly_is_noted_and_the_rest_kept(text: str, message: str) -> None:
    prompt, workflow, notes = judged((P, text), (W, WORKFLOW))
    assert (prompt, workflow) == (None, WORKFLOW)
    assert len(notes) == 1
    assert notes[0].startswith("its prompt (there)")
    assert message in notes[0]


def test_white_space_marks_and_nul_around_a_text_are_left_out() -> None:
    assert judged((P, f"\ufeff \n{PROMPT}\r\n\x00\x00")) == (PROMPT, None, [])


def test_of_different_ones_the_last_counts() -> None:
    prompt, _, notes = judged((P, PROMPT), (P, ELSEWHERE))
    assert prompt == ELSEWHERE
    assert notes == ["it holds more than one prompt; the last one counts"]


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
)
inputs = st.dictionaries(st.text(max_size=8), scalars | st.lists(scalars, max_size=3), max_size=4)
prompts = st.dictionaries(
    st.text(max_size=4),
    st.builds(lambda kind, values: {"class_type": kind, "inputs": values}, st.text(), inputs),
    min_size=1,
    max_size=4,
)


@given(prompts, st.booleans(), st.integers(0, 3))
def test_any_prompt_comes_back_equal(value: object, ascii_only: bool, wraps: int) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    wrapped = text
    for _ in range(wraps):
        wrapped = json.dumps(wrapped)
    prompt, workflow, notes = judged((P, wrapped))
    assert (prompt, workflow, notes) == (text, None, [])
    assert jsontext.dumps(jsontext.loads(text)) == jsontext.dumps(value)


def test_the_whole_way_through_a_file(read: Read) -> None:
    with pytest.raises(pictures.NoWorkflow) as caught:
        read(png(text_chunk("prompt", "a cat"), text_chunk("workflow", "{}")))
    assert caught.value.message == (
        "picture.bin holds no workflow that can be used: its prompt (tEXt chunk at byte 33) is "
        "not valid JSON: Expecting value at line 1, column 1; its workflow (tEXt chunk at byte "
        "57) is JSON, but no ComfyUI workflow"
    )
    assert caught.value.as_dict()["format"] == "png"
