"""The tests mirror the modules of casstore; `tests.support` holds what several of them share."""
