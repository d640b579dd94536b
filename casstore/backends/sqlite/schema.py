"""The shape of a store file, and the check that a file has it. ``docs/format.md`` explains it.

Made in one transaction; a second process that wanted to make it finds it made.
"""

from __future__ import annotations

import sqlite3

from casstore.errors import FormatNotSupported

APPLICATION_ID = 0x43415353  # "CASS"
FORMAT = 1

# Measured on real templates: integer ids inside and each hash once as a BLOB cost 200 to 260
# bytes a version with everything; hexadecimal text costs 77% more.
_TABLES = (
    """CREATE TABLE blobs (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL,
  content_hash BLOB,
  size INTEGER NOT NULL,
  codec INTEGER NOT NULL,
  encoding INTEGER NOT NULL,
  base INTEGER REFERENCES blobs (id) ON DELETE RESTRICT,
  depth INTEGER NOT NULL,
  position INTEGER NOT NULL,
  data BLOB NOT NULL
)""",
    # Prefixes of the hashes: whole ones in the indexes cost 58 bytes more per version. Sixteen
    # bytes of a digest are as good as unique; eight of a content hash find its few candidates.
    "CREATE UNIQUE INDEX blobs_digest ON blobs (substr(digest, 1, 16))",
    "CREATE INDEX blobs_content ON blobs (substr(content_hash, 1, 8))",
    "CREATE INDEX blobs_base ON blobs (base) WHERE base IS NOT NULL",
    "CREATE INDEX blobs_loose ON blobs (id) WHERE encoding = 0",
    """CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  ordered INTEGER NOT NULL DEFAULT 1
)""",
    """CREATE TABLE paths (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  ordered INTEGER NOT NULL DEFAULT 1
)""",
    """CREATE TABLE versions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER REFERENCES sessions (id),
  data INTEGER REFERENCES blobs (id),
  ui INTEGER REFERENCES blobs (id),
  source INTEGER REFERENCES blobs (id),
  attributes TEXT,
  created_at TEXT,
  path INTEGER REFERENCES paths (id),
  capture TEXT
)""",
    "CREATE INDEX versions_session ON versions (session)",
    "CREATE INDEX versions_path ON versions (path) WHERE path IS NOT NULL",
    "CREATE UNIQUE INDEX versions_capture ON versions (capture) WHERE capture IS NOT NULL",
    # Which versions hold a blob. The UI half and the file are mostly the same blob as the
    # document, so that their indexes stay almost empty; the first costs about 10 bytes a version.
    "CREATE INDEX versions_data ON versions (data)",
    "CREATE INDEX versions_ui ON versions (ui) WHERE ui IS NOT NULL AND ui IS NOT data",
    """CREATE INDEX versions_source ON versions (source)
WHERE source IS NOT NULL AND source IS NOT data""",
    """CREATE TABLE version_tags (
  name TEXT PRIMARY KEY,
  version INTEGER NOT NULL REFERENCES versions (id) ON DELETE RESTRICT,
  created_at TEXT NOT NULL
) WITHOUT ROWID""",
    "CREATE INDEX version_tags_version ON version_tags (version)",
    """CREATE TABLE version_pins (
  version INTEGER PRIMARY KEY REFERENCES versions (id) ON DELETE RESTRICT,
  created_at TEXT NOT NULL
)""",
    """CREATE TABLE version_notes (
  version INTEGER PRIMARY KEY REFERENCES versions (id) ON DELETE CASCADE,
  note TEXT NOT NULL
)""",
    """CREATE TABLE lines (
  key BLOB PRIMARY KEY,
  blob INTEGER NOT NULL REFERENCES blobs (id) ON DELETE CASCADE
) WITHOUT ROWID""",
)

# The documented table. Reading it needs the function casstore_text, writing it the others, all
# of which `casstore.connect` brings.
VIEW = """CREATE VIEW workflow_version
  (id, session_id, workflow_data, workflow_data_ui, attributes, created_at) AS
SELECT v.id, s.name, casstore_text(v.data), casstore_text(v.ui), v.attributes, v.created_at
FROM versions AS v LEFT JOIN sessions AS s ON s.id = v.session"""

TRIGGERS = (
    """CREATE TRIGGER workflow_version_insert INSTEAD OF INSERT ON workflow_version BEGIN
  SELECT casstore_insert(NEW.id, NEW.session_id, NEW.workflow_data, NEW.workflow_data_ui,
                         NEW.attributes, NEW.created_at);
END""",
    """CREATE TRIGGER workflow_version_update INSTEAD OF UPDATE ON workflow_version BEGIN
  SELECT casstore_update(OLD.id, NEW.id, NEW.session_id, NEW.workflow_data,
                         NEW.workflow_data_ui, NEW.attributes, NEW.created_at);
END""",
    """CREATE TRIGGER workflow_version_delete INSTEAD OF DELETE ON workflow_version BEGIN
  SELECT casstore_delete(OLD.id);
END""",
)

# What any SQLite client can read.
META_VIEW = """CREATE VIEW workflow_version_meta
  (id, session_id, created_at, attributes, path,
   content_hash, digest, size, ui_content_hash, ui_digest, ui_size, source_digest, source_size) AS
SELECT v.id, s.name, v.created_at, v.attributes, p.name,
  nullif(lower(hex(d.content_hash)), ''), nullif(lower(hex(d.digest)), ''), d.size,
  nullif(lower(hex(u.content_hash)), ''), nullif(lower(hex(u.digest)), ''), u.size,
  nullif(lower(hex(f.digest)), ''), f.size
FROM versions AS v
LEFT JOIN sessions AS s ON s.id = v.session
LEFT JOIN paths AS p ON p.id = v.path
LEFT JOIN blobs AS d ON d.id = v.data
LEFT JOIN blobs AS u ON u.id = v.ui
LEFT JOIN blobs AS f ON f.id = v.source"""

_STATEMENTS = (
    *_TABLES,
    VIEW,
    *TRIGGERS,
    META_VIEW,
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {FORMAT}",
)

EMPTY, STORE, PLAIN = "empty", "store", "plain"


def create(connection: sqlite3.Connection) -> None:
    """Makes the schema. The caller holds a write transaction on a file that is `EMPTY`, or one
    from which a plain table was just moved away."""
    for statement in _STATEMENTS:
        connection.execute(statement)


def identify(connection: sqlite3.Connection, path: str) -> str:
    """`EMPTY`, `STORE` or `PLAIN` (a documented ``workflow_version`` table to take over).

    Raises `FormatNotSupported` for a newer store and for any other SQLite file.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == APPLICATION_ID:
        if version == FORMAT:
            _refuse_foreign_programs(connection, path)
            return STORE
        raise FormatNotSupported(
            f"the store at {path} has format {version}, this casstore reads format {FORMAT}; "
            f"install a newer casstore",
            path=path,
            format=version,
        )
    kinds = dict(connection.execute("SELECT name, type FROM sqlite_master"))
    if application == 0 and not kinds:
        return EMPTY
    if application == 0 and kinds.get("workflow_version") == "table":
        return PLAIN
    raise FormatNotSupported(
        f"{path} is a SQLite file of another program (application id {application:#x}); "
        f"name another path with COMFYUI_AGENT_CHECKPOINT_DB",
        path=path,
    )


_OWN = {statement.split()[2]: statement for statement in (VIEW, *TRIGGERS, META_VIEW)}


def _refuse_foreign_programs(connection: sqlite3.Connection, path: str) -> None:
    """A trigger would run on casstore's own statements, and a changed view on everybody's; a file
    from a stranger may hold either. Other views run only for who asks for them."""
    rows = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')"
    )
    for kind, name, sql in rows:
        if _OWN.get(name, sql if kind == "view" else None) != sql:
            raise FormatNotSupported(
                f"the store at {path} holds the {kind} {name}, which casstore did not make; "
                f"do not trust this file, or drop the {kind} with another SQLite client",
                path=path,
                name=name,
            )
