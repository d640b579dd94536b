"""The canonical form and the content hash stay what they are, whatever makes them."""

from __future__ import annotations

import json

import pytest

from casstore import documents
from tests.support.reading import sha256

# (the JSON text that is saved, its canonical form, SHA-256 of that)
GOLDEN = [
    (
        "{}",
        "{}",
        "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a",
    ),
    (
        "[]",
        "[]",
        "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    ),
    (
        "null",
        "null",
        "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b",
    ),
    (
        "true",
        "true",
        "b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b",
    ),
    (
        '"text"',
        '"text"',
        "1e1d0f251d3a76fa2b1bfc81164078572623403887db02988b504b0492e9f076",
    ),
    (
        '""',
        '""',
        "12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126",
    ),
    (
        "0",
        "0",
        "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
    ),
    (
        "-1",
        "-1",
        "1bad6b8cf97131fceab8543e81f7757195fbb1d36b376ee994ad1cf17699c464",
    ),
    (
        "18446744073709551615",
        "18446744073709551615",
        "2cdb26265b4dc65e3b44d694f121fd6de99b9e4b8ae7f08d84bfa9537635ae43",
    ),
    (
        "18446744073709551616",
        "18446744073709551616",
        "8b292fc2d32f1fd491784610c61b90dc4632a6e4add19261eca4c3979e4ea6d2",
    ),
    (
        "1.0",
        "1.0",
        "d0ff5974b6aa52cf562bea5921840c032a860a91a3512f7fe8f768f6bbe005f6",
    ),
    (
        "-0.0",
        "-0.0",
        "c26617c7ccbcaa6631b45d851b8cf56e21d2ca624bdb1193afdbd4b560702cec",
    ),
    (
        "[1e16,1e15,123456789012345680.0,1e22,1e23]",
        "[1e+16,1000000000000000.0,1.2345678901234568e+17,1e+22,1e+23]",
        "f452ca2cce423dd7e1bd0d68cd4536050f9b3c5a29f5399e0e0e1bdbdabc7bd9",
    ),
    (
        "[0.1,0.30000000000000004,0.0001,0.00001,1.5e-7]",
        "[0.1,0.30000000000000004,0.0001,0.00001,1.5e-7]",
        "b45694101b0b30b3b06d2434d0421bc5ea4c85fdc6be02c54cd626ccf6ee3afe",
    ),
    (
        "[5e-324,2.2250738585072014e-308,1.7976931348623157e308]",
        "[5e-324,2.2250738585072014e-308,1.7976931348623157e+308]",
        "b28df34c51135c4faee6b6815ac08d8fe348e66ef0b04cf69d2d1a8f43a009a6",
    ),
    (
        "NaN",
        "NaN",
        "d5b592c05dc25b5032553f1b27f4139be95e881f73db33b02b05ab20c3f9981e",
    ),
    (
        '{"max":Infinity,"min":-Infinity,"step":0.00001}',
        '{"max":Infinity,"min":-Infinity,"step":1e-05}',
        "fc08500dc888588ab5ac1401db077b935d6ea5c083d86bdb02e9e969aae26081",
    ),
    (
        '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\\\/\\u007f"',
        '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7f"',
        "124ee92bf414108a3ae6460fd120dcaeade70f8406785aa7143f296326e79cf0",
    ),
    (
        '"\\u00e9\\u20ac\\ud83d\\ude00\\u2028\\ufeff"',
        '"\xe9\u20ac\U0001f600\u2028\ufeff"',
        "b742531612f9453603321d94499487af179fd2564d5b7270f436dfa30d6139b3",
    ),
    (
        '"\\ud83d"',
        '"\\ud83d"',
        "2ef39d7e532783c70326bd1414557d41c30b77c9a5293288de1df7eb67575ffc",
    ),
    (
        '{"z":1,"a":2,"10":3,"9":4,"":5,"\\u00e9":6,"Z":7,"\\uffff":8,"\\ud83d\\ude00":9}',
        '{"":5,"10":3,"9":4,"Z":7,"a":2,"z":1,"\xe9":6,"\uffff":8,"\U0001f600":9}',
        "e3063bf561f45254867c62b0243d88224c49ae775b4548201461a54a04f7711c",
    ),
    (
        '{"b":{"d":[{"y":1,"x":null}],"c":false},"a":18446744073709552000}',
        '{"a":18446744073709552000,"b":{"c":false,"d":[{"x":null,"y":1}]}}',
        "28bcf97e89b64abdac2a90888e6886a0f64839be75e3973ac255b978e3670541",
    ),
    (
        '{"3":{"class_type":"KSampler","inputs":{"seed":156680208700286,"steps":20,"cfg":8.0}}}',
        '{"3":{"class_type":"KSampler","inputs":{"cfg":8.0,"seed":156680208700286,"steps":20}}}',
        "355ad2412b1d97c25caa324501c3642191118269d71a97d4268b4d52a563e655",
    ),
    (
        '{"nodes":[{"id":1,"pos":[100,130.5],"widgets_values":["cat",null,true]}],"links":[]}',
        '{"links":[],"nodes":[{"id":1,"pos":[100,130.5],"widgets_values":["cat",null,true]}]}',
        "07ce63f0f86179119f44ff1b47bd8bc795c78864ff2cac6b8f8f011b0fb90db8",
    ),
]


class TestGoldenVectors:
    """The content hash is what people see and compare, so its form must never move: not with
    orjson (whose float text changed once, in 3.11.7), not with Python."""

    @pytest.mark.parametrize(("text", "form", "content_hash"), GOLDEN, ids=lambda x: x[:20])
    def test_content_hash_and_canonical_form(self, text: str, form: str, content_hash: str) -> None:
        value = json.loads(text)
        assert documents.canonical(value).decode() == form
        assert sha256(form.encode()).hex() == content_hash
        for document in (
            documents.from_value(value, "value"),
            documents.from_text(text.encode(), "text"),
            documents.packed(*documents.loose_from_value(value, "value")[:2]),
        ):
            assert document.content_hash is not None
            assert document.content_hash.hex() == content_hash
