#!/usr/bin/env python3
"""The PreToolUse hook of an installed casstore: ``python -I -S …/casstore/hook/checkpoint_pre.py``.

``casstore hook install`` wires it. A script is compiled at every start, so it only finds the
package, from its own place, and stands in for the two ``__init__`` modules, which a hook does
not need (0.4 ms of a 9 ms start). ``scripts/checkpoint_pre.py`` is the same in a checkout.
"""

import sys


def start(package: str) -> None:
    """Runs the hook from the folder ``package`` of casstore. Returns only where it cannot."""
    for name, folder in (("casstore", package), ("casstore.hook", package + "/hook")):
        module = type(sys)(name)
        module.__path__ = [folder]
        sys.modules[name] = module
    from casstore.hook.gate import main

    main()


if __name__ == "__main__":
    start(__file__.replace("\\", "/").rsplit("/", 2)[0])
