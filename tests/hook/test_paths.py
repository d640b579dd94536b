"""The hook's own path functions answer as ``os.path`` and `casstore.location` do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casstore import location
from casstore.hook import paths

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="os.path itself is used there")

PARTS = st.lists(st.sampled_from(["a", "b", "..", ".", "", "é", "a b", "link", "loop"]), max_size=8)


@given(PARTS)
def test_normalised_is_normpath(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    assert paths.normalised(path) == os.path.normpath(path)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree").resolve()
    (root / "a" / "b" / "a").mkdir(parents=True)
    (root / "b").mkdir()
    (root / "link").symlink_to("a/b")
    (root / "a" / "link").symlink_to(root / "b")
    (root / "b" / "link").symlink_to("../link/a/..")
    return root


@given(parts=PARTS)
def test_resolved_is_realpath(tree: Path, parts: list[str]) -> None:
    path = f"{tree}/" + "/".join(parts)
    assert paths.resolved(path) == os.path.realpath(path)


def test_a_circle_of_links_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="too many links"):
        paths.resolved(f"{tmp_path}/a/x")


def test_a_path_longer_than_any_is_an_error() -> None:
    with pytest.raises(OSError, match="too long"):
        paths.resolved("/x" * 20_000)


def test_a_nul_is_an_error() -> None:
    with pytest.raises(ValueError, match="NUL"):
        paths.resolved("/a\0b")


@pytest.mark.parametrize(
    ("folder", "path", "expected"),
    [
        ("/a", "/a/b", "b"),
        ("/a", "/a", None),
        ("/a", "/ab", None),
        ("/", "/a", "a"),
        ("/a/b", "/a", None),
    ],
)
def test_below_is_strict(folder: str, path: str, expected: str | None) -> None:
    assert paths.below(folder, path) == expected


NAMED = [None, "", "x.db", "sub/../x.db", "~/x.db", "~", "/abs/./x.db", "~root/x.db"]
ROOTS = [None, "", "proj", "/abs/proj/", "."]


@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("marker", [None, ".git", ".claude"])
def test_the_store_is_where_everybody_else_looks(
    named: str | None, root: str | None, marker: str | None, tmp_path: Path
) -> None:
    cwd = tmp_path / "one" / "two"
    cwd.mkdir(parents=True)
    if marker is not None:
        (tmp_path / "one" / marker).mkdir()
    environ = {"HOME": os.environ.get("HOME", "/root")}
    if named is not None:
        environ[location.STORE_VARIABLE] = named
    if root is not None:
        environ[location.PROJECT_VARIABLE] = root
    assert paths.store_path(environ, str(cwd)) == location.store_path(environ, str(cwd))
    assert paths.project_root(environ, str(cwd)) == location.project_root(environ, str(cwd))
