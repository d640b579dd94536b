#!/usr/bin/env python3
"""The optional PostToolUse hook of an installed casstore; see docs/hook.md.

    /path/to/python -I -S …/casstore/hook/checkpoint_post.py < event.json

A script is compiled at every start, so it only hands over. ``scripts/checkpoint_post.py`` is the
same in a checkout; ``casstore hook install`` wires one of the two.
"""

import sys

try:
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0])
    __import__("loading").start("after")
except Exception:  # a damaged installation; a host must not see a traceback
    print('{"systemMessage":"casstore: its package cannot be loaded; run casstore hook status"}')
