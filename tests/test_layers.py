"""Imports point downwards, each library has one place, and importing casstore loads none of them.

The layers are those of CONTRIBUTING: ground, backends, engine, facade, what is built on the
facade, and outermost what reads arguments, the environment or stdin.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

import casstore
from tests.support import ROOT

LAYERS = ("ground", "backends", "engine", "facade", "above", "outside")

# The longest name that fits decides, so a package needs one line and an exception another.
LAYER_OF = {
    "errors": "ground",
    "records": "ground",
    "_namedtuple": "ground",
    "_system": "ground",
    "_zstandard": "ground",
    "digests": "ground",
    "clock": "ground",
    "when": "ground",
    "describe": "ground",
    "formats": "ground",
    "location": "ground",
    "inbox": "ground",  # files in a folder: it knows nothing of stores
    "detach": "ground",
    "backends": "backends",
    "jsontext": "engine",
    "documents": "engine",
    "codec": "engine",
    "chains": "engine",
    "rowtext": "engine",
    "store": "facade",
    "opening": "above",
    "takeover": "above",
    "sqlview": "above",
    "captured": "above",
    "settle": "above",
    "rollback": "above",
    "revisions": "above",
    "history": "above",
    "searching": "above",
    "comparing": "above",
    "workspace": "above",
    "workflow": "above",
    "pictures": "above",
    "conformance": "above",
    "samples": "above",
    "hook.health": "above",  # about the hook, not in its process
    "hook.loading": "above",
    "hook.settings_file": "above",
    "hook.settings_text": "above",
    "hook.trial": "above",
    "hook.wiring": "above",
    "hook": "outside",
    "settler": "outside",
    "checkpoint_scripts": "outside",
    "checkpoint_client": "outside",
    "cli": "outside",
    "__main__": "outside",
}

# Which modules may import a library. Nothing else does, at no place in the module.
LIBRARIES = {
    "orjson": ("documents",),
    "zstandard": ("_zstandard",),
    "click": ("cli",),
    "rich": ("cli",),
    "sqlite3": ("backends.sqlite", "sqlview", "cli.statements"),
    "pytest": ("conformance.adapter",),
}

# Who looks at the process: `opening` and `sqlview` do where no path is given.
PROCESS_WORDS = {"environ", "getenv", "argv", "stdin"}


class Module(NamedTuple):
    """One module: its name without ``casstore.``, and its syntax tree."""

    name: str
    tree: ast.Module


def _part_of(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


@lru_cache(maxsize=1)
def modules() -> tuple[Module, ...]:
    """Every module of the package but its root."""
    found = []
    for file in sorted((ROOT / "casstore").rglob("*.py")):
        parts = file.relative_to(ROOT / "casstore").with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if name:
            found.append(Module(name, ast.parse(file.read_text(encoding="utf-8"))))
    return tuple(found)


def layer_of(name: str) -> int:
    """The number of a module's layer, lowest first."""
    prefixes = [prefix for prefix in LAYER_OF if _part_of(name, prefix)]
    assert prefixes, f"casstore.{name} has no layer yet: give it one in {Path(__file__).name}"
    return LAYERS.index(LAYER_OF[max(prefixes, key=len)])


def imports(tree: ast.AST) -> set[str]:
    """The full names of everything imported anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return found


def own_imports(tree: ast.AST) -> set[str]:
    """The modules of casstore imported anywhere in it, without ``casstore.``."""
    names = {module.name for module in modules()}
    found = set()
    for full in imports(tree):
        if _part_of(full, "casstore"):
            inner = full.removeprefix("casstore").removeprefix(".")
            while inner and inner not in names:
                inner = inner.rpartition(".")[0]
            found.add(inner)
    return found - {""}


def test_every_module_has_a_layer() -> None:
    for module in modules():
        layer_of(module.name)
    names = {module.name for module in modules()}
    assert set(LAYER_OF) <= names, "a layer is given to a module that is no more"


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_imports_point_downwards(module: Module) -> None:
    for name in own_imports(module.tree):
        assert layer_of(name) <= layer_of(module.name), f"{module.name} imports {name}"


def test_the_outermost_parts_know_nothing_of_each_other() -> None:
    outside = [name for name, layer in LAYER_OF.items() if layer == "outside"]
    for module in modules():
        if layer_of(module.name) == LAYERS.index("outside"):
            [part] = [name for name in outside if _part_of(module.name, name)]
            for name in own_imports(module.tree):
                others = [each for each in outside if each != part and _part_of(name, each)]
                if layer_of(name) == layer_of(module.name) and part != "__main__":
                    assert others == [], f"{module.name} imports {name}"


def test_nobody_above_the_facade_but_those_who_open_it_names_a_backend() -> None:
    openers = {"opening", "takeover", "sqlview", "cli.statements"}
    for module in modules():
        if layer_of(module.name) > LAYERS.index("backends") and module.name not in openers:
            named = {name for name in own_imports(module.tree) if _part_of(name, "backends")}
            assert named <= {"backends.base"}, f"{module.name} imports {named}"


def test_backends_know_nothing_of_json() -> None:
    for module in modules():
        if _part_of(module.name, "backends"):
            assert not imports(module.tree) & {"json", "orjson", "_json"}, module.name


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_has_its_place(library: str) -> None:
    users = [m.name for m in modules() if any(_part_of(n, library) for n in imports(m.tree))]
    for name in users:
        assert any(_part_of(name, place) for place in LIBRARIES[library]), name


def test_only_the_outermost_layer_looks_at_the_process() -> None:
    for module in modules():
        words = {
            f"{node.value.id}.{node.attr}"
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in ("os", "sys")
            and node.attr in PROCESS_WORDS
        }
        if module.name in ("opening", "sqlview"):
            assert words == {"os.environ"}, module.name
        elif layer_of(module.name) < LAYERS.index("outside"):
            assert words == set(), module.name


def test_no_module_needs_itself_to_be_imported() -> None:
    """Imports made while a module is loading form no circle."""
    needs = {module.name: _imports_while_loading(module.tree) for module in modules()}
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, " -> ".join((*way, name))
        if name not in done:
            for other in sorted(needs.get(name, ())):
                visit(other, (*way, name))
            done.add(name)

    for name in needs:
        visit(name, ())


def _imports_while_loading(tree: ast.Module) -> set[str]:
    """Those at the top of a module that run: not in functions, not for type checkers only."""
    body = []
    for statement in tree.body:
        if isinstance(statement, ast.If) and ast.unparse(statement.test).endswith("TYPE_CHECKING"):
            body += statement.orelse
        elif not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            body.append(statement)
    return own_imports(ast.Module(body, []))


class TestLazyImport:
    HEAVY = ("orjson", "zstandard", "click", "rich", "sqlite3", "hashlib", "dataclasses", "typing")

    def _loaded(self, code: str) -> list[str]:
        code = f"import sys; sys.path.insert(0, sys.argv[1])\n{code}\n" + (
            "print(*[name for name in sys.argv[2:] if name in sys.modules])"
        )
        done = subprocess.run(
            [sys.executable, "-I", "-c", code, str(ROOT), *self.HEAVY],
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    def _here(self) -> set[str]:
        """What this Python has loaded at its start already."""
        return set(self._loaded("pass"))

    def test_importing_casstore_loads_nothing_heavy(self) -> None:
        assert set(self._loaded("import casstore")) <= self._here()
        assert set(self._loaded("import casstore; casstore.CasstoreError")) <= self._here()

    def test_names_load_what_they_need_on_use(self) -> None:
        assert "sqlite3" in self._loaded("import casstore; casstore.open_store")
        assert "sqlite3" not in self._loaded("import casstore; casstore.Store")
        assert "orjson" not in self._loaded("import casstore; casstore.open_store")

    def test_every_public_name_is_there(self) -> None:
        for name in casstore.__all__:
            assert getattr(casstore, name).__doc__, name
            assert name in dir(casstore)
        assert sorted(casstore.__all__) == casstore.__all__
        with pytest.raises(AttributeError, match="no_such_name"):
            _ = casstore.no_such_name
