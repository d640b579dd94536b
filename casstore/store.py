"""The facade: workflows go in under a session and come back exactly, by session or by id.

A `Store` works over any backend. It turns values into documents, documents into blobs and rows,
and back. It reads no environment and no arguments; `casstore.open_store` does that.
"""

from __future__ import annotations

from casstore import documents, jsontext
from casstore.chains import Chains
from casstore.clock import timestamp
from casstore.describe import value_kind
from casstore.digests import sha256, use_openssl
from casstore.errors import (
    InvalidDocument,
    InvalidSession,
    InvalidTag,
    InvalidVersion,
    SessionNotFound,
    TagNotFound,
    UsageError,
    VersionNotFound,
    VersionProtected,
)
from casstore.formats import UI, workflow_format, workflow_id
from casstore.records import (
    BINARY,
    EXACT_JSON,
    JSON,
    TEXT,
    Blob,
    Document,
    Marks,
    SavedVersion,
    StoreInfo,
    TagInfo,
    Version,
    VersionInfo,
    VersionRow,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any

    from casstore.backends.base import Backend
    from casstore.records import SessionInfo

MAX_VERSION_ID = 2**63 - 1

_PAGE = 500
_FIRST_PAGE = 32


class Store:
    """Saves and restores workflows. Use it as a context manager, or call `close`.

    One store may be used from several threads. After a fork the child may go on with it.

    ``loose`` keeps documents as they are until `pack`, without importing orjson and zstandard:
    for processes that save once and end. ``before_read`` is called before anything is read.
    """

    def __init__(
        self,
        backend: Backend,
        *,
        loose: bool = False,
        before_read: Callable[[Store], None] | None = None,
    ) -> None:
        self._backend = backend
        self._chains = Chains(backend)
        self._loose = loose
        self._before_read = before_read
        if not loose:
            use_openssl()

    @property
    def location(self) -> str:
        """Where the store is: for SQLite the path of its file."""
        return self._backend.location

    def close(self) -> None:
        """Gives the file back. Closing twice is allowed."""
        self._backend.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Saving

    def save(
        self,
        session_id: str,
        workflow_data: Mapping[str, Any],
        workflow_data_ui: Mapping[str, Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> SavedVersion:
        """Saves one version; when this returns, it survives a crash.

        Each document is a ``dict`` that JSON text gives back exactly. Raises `InvalidDocument`
        or `InvalidSession` for what cannot be kept, `StoreBusy`, `StorageFailed`; then nothing
        was stored.
        """
        check_session(session_id)
        data = self._document(workflow_data, "workflow_data")
        ui = None
        if workflow_data_ui is not None:
            ui = self._document(workflow_data_ui, "workflow_data_ui")
        text = None
        if attributes is not None:
            text = _attributes_text(attributes)
        created_at = timestamp()
        with self._backend.transaction():
            previous = self._backend.latest(session_id)
            data_id, data_known = self._put(data, previous and previous.data, workflow_data)
            ui_id, ui_known = None, True
            if ui is not None:
                ui_id, ui_known = self._put(ui, previous and previous.ui, workflow_data_ui)
            version_id = self._backend.add_version(
                VersionRow(0, session_id, data_id, ui_id, None, text, created_at)
            )
        return _saved(version_id, created_at, data, data_known and ui_known)

    def save_file(
        self,
        session_id: str,
        source: bytes | None,
        *,
        path: str | None = None,
        attributes: Mapping[str, Any] | None = None,
        created_at: str | None = None,
        capture: str | None = None,
    ) -> SavedVersion:
        """Saves the exact bytes of a file as one version; None: the file does not exist.

        ``workflow_data`` is the document in the file, or JSON null where there is none;
        ``attributes["format"]`` says which: ``api``, ``ui``, ``wrapped``, ``json``, ``text``,
        ``binary`` or ``absent``. A UI document is ``workflow_data_ui`` as well. ``path`` is the
        file's, relative to the project, with forward slashes. A second call with the same
        ``capture`` changes nothing and answers with the first version.
        """
        check_session(session_id)
        if source is not None and type(source) is not bytes:
            raise InvalidDocument(f"a file's content must be bytes; it is {value_kind(source)}")
        for name, word in (("path", path), ("created_at", created_at), ("capture", capture)):
            _check_word(word, name)
        data, kind = _document_in(source)
        raw = None if source is None else _source_document(source, data)
        text = _attributes_text(attributes or {}, format=kind)
        created_at = created_at or timestamp()
        with self._backend.transaction():
            if capture is not None:
                done = self._backend.version_of_capture(capture)
                if done is not None:
                    return self._saved_before(done)
            if path is not None:
                previous = self._backend.latest_of_path(path)
            else:
                previous = self._backend.latest(session_id)
            near = previous and (previous.source or previous.data)
            source_id, known = None, True
            if raw is not None:
                source_id, known = self._put(raw, near, None)
            data_id, data_known = self._put(data, source_id or near, None)
            version_id = self._backend.add_version(
                VersionRow(
                    0,
                    session_id,
                    data_id,
                    data_id if kind == UI else None,
                    source_id,
                    text,
                    created_at,
                    path,
                    capture,
                )
            )
        return _saved(version_id, created_at, data, known and data_known)

    def _saved_before(self, row: VersionRow) -> SavedVersion:
        blobs = [] if row.data is None else [row.data]
        content, _ = self._backend.blob_hashes(blobs).get(row.data or 0, (None, 0))
        content_hash = content.hex() if content else None
        return SavedVersion(row.id, row.created_at or "", content_hash, True)

    def save_texts(
        self,
        session_id: str | None,
        workflow_data: str | bytes | None,
        workflow_data_ui: str | bytes | None = None,
        attributes: str | None = None,
        created_at: str | None = None,
        *,
        version_id: int = 0,
        replace: bool = False,
        any_text: bool = False,
    ) -> int:
        """Saves a row of the documented table: JSON texts, each kept to the byte. None is NULL.

        ``version_id`` asks for that id; ``replace`` gives an existing version new values.
        ``any_text`` accepts text that is no JSON, and any ``bytes``, for taking over what is
        there already.
        Returns the version's id.
        """
        if session_id is not None or not any_text:
            check_session(session_id, taken_over=any_text)
        if version_id and not any_text:
            _check_version_id(version_id)
        for name, word in (("attributes", attributes), ("created_at", created_at)):
            if isinstance(word, str):  # SQLite turns other types into the column's
                _check_word(word, name)
        with self._backend.transaction():
            if replace:
                previous = self._backend.version(version_id)
                if previous is None:
                    raise VersionNotFound(f"there is no version {version_id}")
            else:
                previous = self._backend.latest(session_id)
            kept = replace and previous is not None and previous.attributes == attributes
            if attributes is not None and not any_text and not kept:
                documents.from_text(_utf8(attributes, "attributes"), "attributes")
            data_id, ui_id = (
                self._put_text(text, name, near, replace, any_text)
                for text, name, near in (
                    (workflow_data, "workflow_data", previous and previous.data),
                    (workflow_data_ui, "workflow_data_ui", previous and previous.ui),
                )
            )
            row = VersionRow(version_id, session_id, data_id, ui_id, None, attributes, created_at)
            if replace and previous is not None:
                # the file's bytes are those of the document only while it is the same document
                source = previous.source if data_id == previous.data else None
                self._backend.update_version(
                    row._replace(source=source, path=previous.path, capture=previous.capture)
                )
                return version_id
            return self._backend.add_version(row)

    def _put_text(
        self, text: str | bytes | None, name: str, near: int | None, replace: bool, any_text: bool
    ) -> int | None:
        """Stores a text to the byte. One that replaces itself is not judged again: a row that was
        taken over may hold what would be refused today."""
        if text is None:
            return None
        raw = _utf8(text, name, any_text)
        if replace and near is not None and self._chains.payload(near)[0] == raw:
            return near
        read = documents.from_any_text if any_text else documents.from_text
        document = read(raw, name)
        value = None
        if near is None and document.codec in (JSON, EXACT_JSON):
            value = documents.value_of(document.payload, document.codec)
        return self._put(document, near, value)[0]

    def delete(self, version_id: int, *, force: bool = False) -> None:
        """Removes a version and its note. Raises `VersionNotFound`, and `VersionProtected` for one
        that is tagged or pinned, unless ``force`` takes tags and pin away with it."""
        _check_version_id(version_id)
        with self._backend.transaction():
            marks = self._backend.marks([version_id]).get(version_id, Marks())
            if force:
                for name in marks.tags:
                    self._backend.remove_tag(name)
                self._backend.remove_pin(version_id)
            elif marks.tags or marks.pinned:
                raise _protected(version_id, marks)
            if not self._backend.delete_version(version_id):
                raise VersionNotFound(
                    f"there is no version {version_id} in {self.location}", version_id=version_id
                )

    # Tags, pins and notes

    def tag(self, name: str, version_id: int, *, move: bool = False) -> TagInfo:
        """Gives a version a name that is unique in the store; the version is then kept until the
        tag is taken away. Raises `InvalidTag` for a name that no revision could name it by (see
        `check_tag`) or that another version has, unless ``move``; `VersionNotFound`."""
        check_tag(name)
        with self._backend.transaction():
            self._row(version_id)
            old = self._backend.tag(name)
            if old is not None and old.version_id == version_id:
                return old
            if old is not None and not move:
                raise InvalidTag(
                    f"the tag {name!r} names version {old.version_id} already; move it, or choose "
                    f"another name",
                    tag=name,
                    version_id=old.version_id,
                )
            made = TagInfo(name, version_id, timestamp())
            self._backend.set_tag(*made)
        return made

    def untag(self, name: str) -> TagInfo:
        """Takes a tag away and gives what it was. Raises `TagNotFound`."""
        with self._backend.transaction():
            old = self._backend.tag(name)
            if old is None:
                raise TagNotFound(f"there is no tag {name!r} in {self.location}", tag=name)
            self._backend.remove_tag(name)
        return old

    def find_tag(self, name: str) -> TagInfo | None:
        """The tag of this name."""
        return self._backend.tag(name)

    def tags(self) -> Iterator[TagInfo]:
        """Every tag in the order of names."""
        after: str | None = None
        while True:
            page = self._backend.tags(after=after, limit=_PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].name

    def pin(self, version_id: int) -> bool:
        """Keeps a version until it is unpinned; False where it was pinned already. Raises
        `VersionNotFound`."""
        with self._backend.transaction():
            self._row(version_id)
            if self.marks([version_id])[version_id].pinned:
                return False
            self._backend.set_pin(version_id, timestamp())
        return True

    def unpin(self, version_id: int) -> bool:
        """Takes the pin away; False where there was none. Raises `VersionNotFound`."""
        with self._backend.transaction():
            self._row(version_id)
            return self._backend.remove_pin(version_id)

    def note(self, version_id: int, text: str | None) -> None:
        """Puts a note on a version, in place of the one it has; None takes it away. Raises
        `VersionNotFound`, and `InvalidDocument` for what is no text."""
        _check_word(text, "the note")
        with self._backend.transaction():
            self._row(version_id)
            self._backend.set_note(version_id, text or None)

    def marks(self, version_ids: Sequence[int]) -> dict[int, Marks]:
        """Tags, pin and note of each of these versions."""
        found = self._backend.marks(version_ids)
        return {version: found.get(version, Marks()) for version in version_ids}

    def _document(self, value: Any, name: str) -> Document:
        if type(value) is not dict:
            raise InvalidDocument(
                f"{name} must be a JSON object, a dict in Python; it is {value_kind(value)}",
                field=name,
            )
        make = documents.loose_from_value if self._loose else documents.from_value
        return make(value, name)

    def _put(self, document: Document, near: int | None, value: Any) -> tuple[int, bool]:
        """Stores a document near the version before it; the first of a session near the newest
        of the same workflow, which ComfyUI's editor marks by an id."""
        key = None
        if near is None:
            name = workflow_id(value)
            if name is not None:
                key = sha256(b"workflow:" + name.encode("utf-8", "surrogatepass"))[:16]
                near = self._backend.newest_in_line(key)
        put = self._chains.put_loose if self._loose else self._chains.put
        blob_id, known = put(document, near)
        if key is not None and blob_id != near:
            self._backend.set_line(key, blob_id)
        return blob_id, known

    def pack(self, limit: int | None = None) -> int:
        """Compresses what was stored loose, each blob in a transaction of its own; returns how
        many. ``limit`` bounds them."""
        packed = 0
        while limit is None or packed < limit:
            with self._backend.transaction():
                found = self._backend.loose_blobs(1)
                if not found:
                    break
                self._chains.pack(found[0], _packed(found[0]))
            packed += 1
        return packed

    # Reading

    def restore(self, version_id: int | None = None, session_id: str | None = None) -> Version:
        """The version with this id, or the latest of this session; name exactly one.

        Raises `VersionNotFound` or `SessionNotFound`, and `Damaged` where the stored bytes are
        not what was saved.
        """
        self._settle()
        with self._backend.reading():
            row = self._row(version_id, session_id)
            data, ui = self._payload(row.data), self._payload(row.ui)
        return Version(
            row.id,
            row.session,
            data and documents.value_of(*data),
            ui and documents.value_of(*ui),
            attributes_value(row.attributes),
            row.created_at,
        )

    def restore_texts(
        self, version_id: int | None = None, session_id: str | None = None
    ) -> tuple[VersionRow, tuple[bytes, int] | None, tuple[bytes, int] | None]:
        """The same without parsing: the row, then of ``workflow_data`` and ``workflow_data_ui``
        the payload and its codec (`casstore.records`), or None for NULL."""
        self._settle()
        with self._backend.reading():
            row = self._row(version_id, session_id)
            return row, self._payload(row.data), self._payload(row.ui)

    def restore_source(self, version_id: int) -> bytes | None:
        """The exact bytes of the file that a version captured; None where it captured none, or
        where the file was absent."""
        self._settle()
        with self._backend.reading():
            source = self._payload(self._row(version_id).source)
        return source and source[0]

    def source_digest(self, version_id: int) -> bytes | None:
        """SHA-256 of what `restore_source` gives, without rebuilding it."""
        self._settle()
        with self._backend.reading():
            source = self._row(version_id).source
            return None if source is None else self._backend.blob_header(source).digest

    def row(self, version_id: int | None = None, session_id: str | None = None) -> VersionRow:
        """The stored row of a version, named as in `restore`: references, no documents."""
        self._settle()
        return self._row(version_id, session_id)

    def _row(self, version_id: int | None = None, session_id: str | None = None) -> VersionRow:
        if (version_id is None) == (session_id is None):
            raise UsageError("name exactly one of version_id and session_id")
        if version_id is not None:
            _check_version_id(version_id)
            row = self._backend.version(version_id)
            if row is None:
                raise VersionNotFound(
                    f"there is no version {version_id} in {self.location}", version_id=version_id
                )
            return row
        check_session(session_id)
        row = self._backend.latest(session_id)
        if row is None:
            raise SessionNotFound(
                f"the session {session_id!r} has no version in {self.location}",
                session_id=session_id,
            )
        return row

    def nth_latest(
        self,
        skip: int,
        *,
        session: str | None = None,
        path: str | None = None,
        up_to: int | None = None,
    ) -> VersionRow | None:
        """Of a session or a path the version with the largest id (up to ``up_to``), or
        the one ``skip`` before it."""
        self._settle()
        return self._backend.nth_latest(skip, session=session, path=path, up_to=up_to)

    def latest_by(
        self, moment: int, *, session: str | None = None, path: str | None = None
    ) -> VersionRow | None:
        """Of a session or a path the version with the largest id that was saved by this moment,
        in milliseconds since the epoch."""
        self._settle()
        return self._backend.latest_by(moment, session=session, path=path)

    def holding(self, low: bytes, high: bytes) -> dict[bytes, int]:
        """Content hashes from ``low`` to ``high`` of `workflow_data` documents, each with the
        newest version that holds it."""
        self._settle()
        found: dict[bytes, int] = {}
        with self._backend.reading():
            for blob_id, content in self._backend.blobs_between(low, high):
                for version in self._backend.holders(blob_id, limit=1, newest_first=True):
                    found[content] = max(version, found.get(content, 0))
        return found

    def rows(
        self,
        session_id: str | None = None,
        *,
        path: str | None = None,
        up_to: int | None = None,
    ) -> Iterator[VersionRow]:
        """The stored rows of every version, or of one session or path, newest first, from the id
        ``up_to`` on. Reads in pages, as `versions`; the first ones are short, for a reader who
        wants few."""
        self._settle()
        after = 0 if up_to is None else min(up_to, MAX_VERSION_ID - 1) + 1
        limit = _FIRST_PAGE
        while True:
            page = self._backend.versions(
                after=after, limit=limit, session=session_id, path=path, newest_first=True
            )
            yield from page
            if len(page) < limit:
                return
            after = page[-1].id
            limit = min(limit * 2, _PAGE)

    def holders_of(self, low: bytes, high: bytes) -> Iterator[int]:
        """Ids of the versions that hold a blob whose content hash or digest is from ``low`` to
        ``high``, newest first."""
        self._settle()
        blobs = {
            blob_id
            for digests in (False, True)
            for blob_id, _ in self._backend.blobs_between(low, high, digests=digests)
        }
        after = 0
        while True:
            pages = [
                self._backend.holders(blob_id, after=after, limit=_PAGE, newest_first=True)
                for blob_id in blobs
            ]
            found = sorted({version for page in pages for version in page}, reverse=True)[:_PAGE]
            yield from found
            if len(found) < _PAGE:
                return
            after = found[-1]

    def own_bytes(self, row: VersionRow) -> int:
        """Stored bytes of the blobs that came with this version: what an earlier version holds
        already costs it nothing."""
        blobs = sorted({blob for blob in (row.data, row.ui, row.source) if blob is not None})
        with self._backend.reading():
            own = [blob for blob in blobs if list(self._backend.holders(blob, limit=1)) == [row.id]]
            return sum(self._backend.stored_sizes(own).values())

    def payload_of(self, blob_id: int) -> tuple[bytes, int]:
        """Exact bytes and codec of a blob that a row refers to, for walks over many versions.
        Raises `Damaged`."""
        with self._backend.reading():
            return self._chains.payload(blob_id, walking=True)

    def blob_text(self, blob_id: int) -> str | bytes:
        """The payload of a blob as text: what the documented view shows in its JSON columns. As
        bytes where it is no UTF-8, which only a take-over brings."""
        payload, codec = self._chains.payload(blob_id)
        return payload if codec == BINARY else payload.decode()

    def version(self, version_id: int) -> VersionInfo:
        """One version without its documents. Raises `VersionNotFound`."""
        self._settle()
        with self._backend.reading():
            row = self._row(version_id)
            ids = [i for i in (row.data, row.ui) if i is not None]
            return _info(row, self._backend.blob_hashes(ids))

    def versions(
        self,
        session_id: str | None = None,
        *,
        path: str | None = None,
        newest_first: bool = False,
    ) -> Iterator[VersionInfo]:
        """Every version, or those of one session or path, by id. Reads in pages, so that a long
        walk holds up no save; versions saved meanwhile may appear."""
        if session_id is not None:
            check_session(session_id, taken_over=True)
        _check_word(path, "path")
        self._settle()
        after = 0
        while True:
            with self._backend.reading():
                page = self._backend.versions(
                    after=after,
                    limit=_PAGE,
                    session=session_id,
                    path=path,
                    newest_first=newest_first,
                )
                ids = {i for row in page for i in (row.data, row.ui) if i is not None}
                hashes = self._backend.blob_hashes(sorted(ids))
            for row in page:
                yield _info(row, hashes)
            if len(page) < _PAGE:
                return
            after = page[-1].id

    def sessions(self) -> Iterator[SessionInfo]:
        """Every session in the order of its label."""
        self._settle()
        after: str | None = None
        while True:
            page = self._backend.sessions(after=after, limit=_PAGE)
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].session_id

    def info(self) -> StoreInfo:
        """Counts and bytes of the whole store."""
        self._settle()
        with self._backend.reading():
            counts = self._backend.counts()
        return StoreInfo(
            location=self.location,
            format=self._backend.format,
            journal_mode=self._backend.journal_mode,
            engine=self._backend.engine,
            **counts._asdict(),
        )

    def _settle(self) -> None:
        if self._before_read is not None:
            self._before_read(self)

    def _payload(self, blob_id: int | None) -> tuple[bytes, int] | None:
        return None if blob_id is None else self._chains.payload(blob_id)


def check_session(session_id: object, *, taken_over: bool = False) -> None:
    """Raises `InvalidSession` for a label that is not text, empty, or not storable as text."""
    if not isinstance(session_id, str):
        raise InvalidSession(f"session_id must be a string; it is {value_kind(session_id)}")
    if not session_id and not taken_over:
        raise InvalidSession("session_id is empty; name the session that the version belongs to")
    if "\x00" in session_id:
        raise InvalidSession("session_id holds a NUL character; leave it out")
    try:
        session_id.encode()
    except UnicodeEncodeError:
        raise InvalidSession(
            "session_id holds a lone surrogate, which is no text; replace it"
        ) from None


_TAG_LENGTH = 200


def check_tag(name: object) -> None:
    """Raises `InvalidTag` for a name that is empty, not printable text, longer than 200
    characters, a number, or holds what stands for something else in a revision."""
    if not isinstance(name, str):
        raise InvalidTag(f"a tag's name must be text; it is {value_kind(name)}")
    why = None
    if not name or name != name.strip() or not name.isprintable() or len(name) > _TAG_LENGTH:
        why = f"is not printable text of 1 to {_TAG_LENGTH} characters without blanks around it"
    elif name.isdigit():
        why = "is a number, which names a version by its id"
    elif any(mark in name for mark in ("~", "@{", ":")) or name.startswith("-"):
        why = "holds ~, @{ or :, or begins with a hyphen"
    if why is not None:
        raise InvalidTag(f"{name!r} cannot be a tag: it {why}; choose another name", tag=name)


def _protected(version_id: int, marks: Marks) -> VersionProtected:
    tags = ", ".join(marks.tags)
    why = " and ".join(
        word for word in (f"tagged {tags}" if tags else "", "pinned" * marks.pinned) if word
    )
    ways = [f"casstore untag {name}" for name in marks.tags]
    if marks.pinned:
        ways.append(f"casstore unpin {version_id}")
    return VersionProtected(
        f"version {version_id} is {why}, so it is kept; first: {'; '.join(ways)}",
        version_id=version_id,
        tags=list(marks.tags),
        pinned=marks.pinned,
    )


def _check_version_id(version_id: object) -> None:
    if type(version_id) is not int or not 0 < version_id <= MAX_VERSION_ID:
        raise InvalidVersion(
            f"a version id is a positive integer, not {version_id!r}; every save answers with one"
        )


def _check_word(word: object, name: str) -> None:
    """Raises `InvalidDocument` for what no backend keeps as text: other types, lone surrogates
    (as in the name of a file that is not UTF-8)."""
    if word is None:
        return
    if not isinstance(word, str):
        raise InvalidDocument(f"{name} must be text; it is {value_kind(word)}", field=name)
    try:
        word.encode()
    except UnicodeEncodeError:
        raise InvalidDocument(
            f"{name} holds a lone surrogate, which is no text; replace it", field=name
        ) from None


def _attributes_text(attributes: Mapping[str, Any], **more: str) -> str:
    if type(attributes) is not dict:
        raise InvalidDocument(
            f"attributes must be a JSON object, a dict in Python; it is {value_kind(attributes)}",
            field="attributes",
        )
    return documents.loose_from_value({**attributes, **more}, "attributes").payload.decode()


def attributes_value(text: str | None) -> Any:
    """The value of an attributes text; one that is no JSON (taken over) as the text it is."""
    if text is None:
        return None
    try:
        return jsontext.loads(text, unique_keys=False, where="attributes")
    except InvalidDocument:
        return text


def _utf8(text: str | bytes, name: str, raw: bool = False) -> bytes:
    if raw and isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise InvalidDocument(f"{name} must be JSON text; it is {value_kind(text)}", field=name)
    return text.encode("utf-8", "surrogatepass")


def _document_in(source: bytes | None) -> tuple[Document, str]:
    """The document in a file and the word for the file's format."""
    if source is None:
        return documents.from_value(None, "workflow_data"), "absent"
    text = source.removeprefix(b"\xef\xbb\xbf")
    document = documents.from_any_text(text, "the file")
    if document.codec in (TEXT, BINARY):
        word = "text" if document.codec == TEXT else "binary"
        return documents.from_value(None, "workflow_data"), word
    return document, workflow_format(documents.value_of(document.payload, document.codec))


def _packed(blob: Blob) -> Document:
    """The document of a loose blob, complete. A damaged one is packed as it is: it stays damaged,
    and keeps nothing that comes after it from being packed."""
    data: object = blob.data
    if type(data) is not bytes:
        data = str(data).encode("utf-8", "surrogatepass")
    if sha256(data) != blob.digest:
        return Document(data, blob.codec, blob.digest, None)
    return documents.packed(data, blob.codec)


def _source_document(source: bytes, data: Document) -> Document:
    """The file's bytes as a blob: the same one as the document's where they are the same bytes."""
    if data.payload == source:
        return data
    return documents.from_any_text(source, "the file")


def _saved(version_id: int, created_at: str, data: Document, known: bool) -> SavedVersion:
    content_hash = data.content_hash.hex() if data.content_hash is not None else None
    return SavedVersion(version_id, created_at, content_hash, known)


def _info(row: VersionRow, hashes: Mapping[int, tuple[bytes | None, int]]) -> VersionInfo:
    content, size = hashes.get(row.data or 0, (None, 0))
    ui_content, ui_size = hashes.get(row.ui or 0, (None, 0))
    return VersionInfo(
        row.id,
        row.session,
        row.created_at,
        content.hex() if content else None,
        ui_content.hex() if ui_content else None,
        size + ui_size,
        attributes_value(row.attributes),
        row.path,
    )
