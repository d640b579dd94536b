"""The command line as the other commands' tests run it."""

from tests.cli.conftest import project, run, saved

__all__ = ["project", "run", "saved"]
