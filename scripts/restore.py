#!/usr/bin/env python3
"""Gives back one saved version of a ComfyUI workflow as JSON. See restore.py --help."""

import os
import sys

# A checkout holds the package beside this folder; else it is installed.
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if os.path.isdir(os.path.join(_ROOT, "casstore")):
    sys.path.insert(0, _ROOT)
sys.path[:] = [entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__))]

try:
    from casstore.checkpoint_scripts import restore_main
except ImportError as error:
    print(
        '{"error": {"code": "missing_dependency", "message": "casstore cannot be loaded: '
        + ascii(str(error))[1:-1].replace("\\", "\\\\").replace('"', "'")
        + '; install it with: python -m pip install casstore"}}'
    )
    sys.exit(1)

if __name__ == "__main__":
    sys.exit(restore_main(sys.argv[1:]))
