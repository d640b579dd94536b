"""The documented table through SQLAlchemy, step for step as ComfyUI-Copilot's DAO does it.

A declarative model; for each save a new session, ``add``, ``commit``, ``refresh``, ``close``.
"""

from __future__ import annotations

import json
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import Any


class Alchemy:
    def __init__(self, folder: Path, journal_mode: str) -> None:
        sa: Any = import_module("sqlalchemy")
        orm: Any = import_module("sqlalchemy.orm")
        base: Any = orm.declarative_base()
        self._model: Any = type(
            "WorkflowVersion",
            (base,),
            {
                "__tablename__": "workflow_version",
                "id": sa.Column(sa.Integer, primary_key=True, autoincrement=True),
                "session_id": sa.Column(sa.String(255), nullable=False, index=True),
                "workflow_data": sa.Column(sa.Text, nullable=False),
                "workflow_data_ui": sa.Column(sa.Text, nullable=True),
                "attributes": sa.Column(sa.Text, nullable=True),
                "created_at": sa.Column(sa.DateTime, default=_utcnow),
            },
        )
        self._engine: Any = sa.create_engine(f"sqlite:///{folder / 'alchemy.sqlite'}")

        def configure(connection: Any, _record: object) -> None:
            connection.execute(f"PRAGMA journal_mode = {journal_mode}")
            connection.execute("PRAGMA synchronous = FULL")

        sa.event.listen(self._engine, "connect", configure)
        base.metadata.create_all(bind=self._engine)
        self._session: Any = orm.sessionmaker(autoflush=False, bind=self._engine)

    def save(self, session_id: str, document: dict[str, Any]) -> int:
        session = self._session()
        try:
            version = self._model(session_id=session_id, workflow_data=json.dumps(document))
            session.add(version)
            session.commit()
            session.refresh(version)
            key: int = version.id
            return key
        except Exception:
            session.rollback()
            raise
        finally:
            session.close()

    def restore(self, key: int) -> Any:
        session = self._session()
        try:
            version = session.query(self._model).filter(self._model.id == key).first()
            return json.loads(version.workflow_data)
        finally:
            session.close()

    def close(self) -> None:
        self._engine.dispose()


def _utcnow() -> datetime:
    return datetime.now(timezone.utc).replace(tzinfo=None)
