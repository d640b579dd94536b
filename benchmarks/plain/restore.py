"""Prints one version of the plain table as JSON: ``--version-id N`` or ``--session-id SID``."""

import json
import os
import sqlite3
import sys

SELECT = """SELECT id, session_id, workflow_data, workflow_data_ui, attributes, created_at
FROM workflow_version WHERE """
WHERE = {"--version-id": "id = ?", "--session-id": "session_id = ? ORDER BY id DESC LIMIT 1"}

option, value = sys.argv[1:]
connection = sqlite3.connect(os.environ["COMFYUI_AGENT_CHECKPOINT_DB"])
row = connection.execute(SELECT + WHERE[option], (value,)).fetchone()
connection.close()
if row is None:
    sys.exit("no such version")
data, ui, attributes = (None if text is None else json.loads(text) for text in row[2:5])
answer = {
    "version_id": row[0],
    "session_id": row[1],
    "workflow_data": data,
    "workflow_data_ui": ui,
    "attributes": attributes,
    "created_at": row[5],
}
print(json.dumps(answer))
