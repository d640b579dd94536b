#!/usr/bin/env python3
"""The PreToolUse hook of a checkout or copied skill folder; see docs/hook.md.

    python3 -I -S /path/to/scripts/checkpoint_pre.py < event.json

Exit code 0 always. It stands in for the two ``__init__`` modules that a hook does not need.
"""

import sys

_ROOT = __file__.replace("\\", "/").rsplit("/", 2)[0]

try:
    for _name, _folder in (("casstore", "/casstore"), ("casstore.hook", "/casstore/hook")):
        _module = type(sys)(_name)
        _module.__path__ = [_ROOT + _folder]
        sys.modules[_name] = _module
    from casstore.hook.gate import main
except ImportError as error:
    print('{"systemMessage":' + ascii(f"casstore: no checkpoint: {error}") + "}")
    sys.exit(0)

main()
