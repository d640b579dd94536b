"""Saves one version on the plain table: a JSON object on stdin, its id and time on stdout."""

import json
import os
import sqlite3
import sys
from datetime import datetime, timezone

TABLE = """CREATE TABLE IF NOT EXISTS workflow_version (
id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, workflow_data TEXT,
workflow_data_ui TEXT, attributes TEXT, created_at TEXT)"""
INDEX = "CREATE INDEX IF NOT EXISTS workflow_version_session ON workflow_version (session_id)"
INSERT = """INSERT INTO workflow_version
(session_id, workflow_data, workflow_data_ui, attributes, created_at) VALUES (?, ?, ?, ?, ?)"""

request = json.loads(sys.stdin.buffer.read())
texts = [
    None if request.get(name) is None else json.dumps(request[name])
    for name in ("workflow_data", "workflow_data_ui", "attributes")
]
created_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
connection = sqlite3.connect(os.environ["COMFYUI_AGENT_CHECKPOINT_DB"])
connection.execute(f"PRAGMA journal_mode = {os.environ['PLAIN_JOURNAL_MODE']}")
connection.execute("PRAGMA synchronous = FULL")
connection.execute(TABLE)
connection.execute(INDEX)
version_id = connection.execute(INSERT, (request["session_id"], *texts, created_at)).lastrowid
connection.commit()
connection.close()
print(json.dumps({"version_id": version_id, "created_at": created_at}))
