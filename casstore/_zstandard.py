"""The ``zstandard`` library, without its package's start-up where that can be spared.

``import zstandard`` takes 13 ms, of which its C module is 0.6: the rest is ``platform``, ``re``
and ``typing``, imported to choose that module. The scripts pay for it on every call, so the C
module is loaded by its own name. Whatever goes wrong on the way, the public import is used.
"""

from __future__ import annotations

import sys

from casstore.errors import MissingDependency

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load() -> Any:
    """The module with ``ZstdCompressor`` and the rest. Raises `MissingDependency`."""
    loaded = sys.modules.get("zstandard") or sys.modules.get("zstandard.backend_c")
    if loaded is not None:
        return loaded
    try:
        return _load_c_module()
    except Exception:  # private ways may fail in any way; the public one decides
        try:
            import zstandard
        except ImportError:
            raise MissingDependency(
                f"the library zstandard is not installed for {sys.executable}; "
                f"install it with: {sys.executable} -m pip install zstandard orjson click",
                module="zstandard",
            ) from None
        return zstandard


def _load_c_module() -> Any:
    import _imp
    from importlib.machinery import PathFinder

    package = PathFinder.find_spec("zstandard")
    if package is None:
        raise ImportError("zstandard")
    spec = PathFinder.find_spec("zstandard.backend_c", package.submodule_search_locations)
    if spec is None or spec.loader is None:
        raise ImportError("zstandard.backend_c")
    module = _imp.create_dynamic(spec)
    spec.loader.exec_module(module)
    sys.modules["zstandard.backend_c"] = module
    return module
