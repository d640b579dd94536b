"""The hook as one would write it on the plain table: json and sqlite3, one row for the file."""

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
NEEDLES = ("compile.py", "submit_prompt.py")

event = json.loads(sys.stdin.buffer.read())
given = event["tool_input"]
path = given.get("file_path", "")
high = "/inputs/" in path or any(needle in given.get("command", "") for needle in NEEDLES)
if high and os.path.exists(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    connection = sqlite3.connect(os.environ["COMFYUI_AGENT_CHECKPOINT_DB"])
    connection.execute(f"PRAGMA journal_mode = {os.environ['PLAIN_JOURNAL_MODE']}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(TABLE)
    connection.execute(INDEX)
    created_at = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
    values = (event["session_id"], json.dumps(document), None, json.dumps({"path": path}))
    connection.execute(INSERT, (*values, created_at))
    connection.commit()
    connection.close()
