"""The hook as one would write it on casstore itself: the save happens in the hook's process."""

import json
import sys

import casstore

event = json.loads(sys.stdin.buffer.read())
path = event["tool_input"].get("file_path", "")
if "/inputs/" in path:
    with open(path, "rb") as file, casstore.open_store() as store:
        store.save_file(event["session_id"], file.read(), path=path)
