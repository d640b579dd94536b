"""The backends: one contract for all, and what is particular to SQLite."""
