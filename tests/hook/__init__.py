"""The hook's path: from an event on standard input to a version in the store."""
