"""The SQLite backend: one file. `connection` opens it, `schema` shapes it, `backend` uses it."""
