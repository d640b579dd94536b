"""The contract's two scripts as one would write them on the plain table, to compare a start with.

Only ``json`` and ``sqlite3`` (and what they bring in), no argument parser, one commit.
"""
