#!/usr/bin/env python3
"""The PreToolUse hook of an installed casstore; see docs/hook.md.

    /path/to/python -I -S …/casstore/hook/checkpoint_pre.py < event.json

A script is compiled at every start, so it only hands over. ``scripts/checkpoint_pre.py`` is the
same in a checkout; ``casstore hook install`` wires one of the two.
"""

import sys

try:
    sys.path.insert(0, __file__.replace("\\", "/").rpartition("/")[0])
    __import__("loading").start("gate")
except Exception:  # a damaged installation; a host must not see a traceback
    import os

    reason = "casstore: no checkpoint, its package cannot be loaded; run casstore hook status"
    if "--strict" in sys.argv or os.environ.get("CASSTORE_HOOK_STRICT", "0") != "0":
        print(
            '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",'
            '"permissionDecisionReason":"' + reason + '"}}'
        )
    else:
        print('{"systemMessage":"' + reason + '"}')
