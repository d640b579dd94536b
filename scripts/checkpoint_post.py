#!/usr/bin/env python3
"""The optional PostToolUse hook of a checkout or copied skill folder; see docs/hook.md.

    /path/to/python -I -S scripts/checkpoint_post.py < event.json

Ends with exit code 0 always. The package is beside this folder, else it is installed.
"""

import sys

try:
    sys.path.insert(0, __file__.replace("\\", "/").rsplit("/", 2)[0] + "/casstore/hook")
    try:
        start = __import__("loading").start
    except ImportError:
        import site  # not run under -S; finds an installed package, at the price of a slow start

        del sys.path[0]
        site.main()
        from casstore.hook.loading import start
    start("after")
except Exception:  # no package, or one that is damaged; a host must not see a traceback
    print('{"systemMessage":"casstore: its package cannot be loaded; run casstore hook status"}')
