"""The command line: ``casstore COMMAND``. One module per command; adding a command adds a module.

A command is a module ``casstore/cli/<name>_cmd.py`` with an object named ``command``, made by
`casstore.cli.shared.command` or `casstore.cli.shared.group`; ``<name>`` with hyphens for
underscores is its name. Only the module of the command that runs is imported, and a command
imports the library inside its function, so that ``--help`` and completion stay quick.

This package alone reads the environment, the arguments and stdin.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Runs the command line of this process and ends it."""
    try:
        from casstore.cli.app import app
    except ImportError as error:
        sys.stderr.write(
            f"casstore: {error.name} cannot be loaded by {sys.executable}; "
            f"install it with: {sys.executable} -m pip install casstore\n"
        )
        sys.exit(1)
    sys.exit(app.main())
