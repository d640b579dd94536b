"""``casstore import-image``: saves the workflows that ComfyUI embedded in pictures and videos."""

from __future__ import annotations

import os
from contextlib import ExitStack

import click

from casstore import jsontext
from casstore.cli import files, shared
from casstore.cli.terminal import counted, size
from casstore.errors import CasstoreError, InvalidDocument, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NamedTuple

    from casstore.cli.run import Run
    from casstore.cli.terminal import Line
    from casstore.pictures import Picture
    from casstore.store import Store
else:
    from casstore._namedtuple import NamedTuple

SESSION = "pictures"
"""The session where none is named: the pictures of a project make one history by themselves."""

SOURCE = "picture"
"""``attributes.source`` of a version that came from a picture."""

_DONE_IN_PART = 3


class _Version(NamedTuple):
    """The version that holds a picture's workflows."""

    version_id: int
    content_hash: str | None


class _Result(NamedTuple):
    """What became of one FILE."""

    file: str
    picture: Picture | None = None
    version_id: int | None = None
    content_hash: str | None = None
    imported_before: bool = False
    path: str | None = None
    error: CasstoreError | None = None


@shared.command(
    answers={
        "session_id": "the session",
        "imported": "how many FILEs became a version",
        "imported_before": "how many had a version in the session already",
        "failed": "how many gave an error",
        "pictures": "list with one object per FILE, in order: file, version_id, "
        "imported_before, format (png, webp, jpeg, mp4, webm, mkv), path, sha256, size, prompt "
        "and workflow (true where found), content_hash, notes, error (null, or code and message)",
    }
)
@click.argument("names", metavar="FILE...", nargs=-1, required=True, type=shared.FileName())
@click.option(
    "--session",
    default=SESSION,
    show_default=True,
    metavar="SID",
    type=shared.Text(),
    help="The session to save them under.",
)
@click.option("--force", is_flag=True, help="Save a new version also of a picture imported before.")
@click.pass_context
def command(
    ctx: click.Context, run: Run, names: tuple[str, ...], session: str, force: bool
) -> None:
    """Save the workflows embedded in pictures and videos.

    Reads PNG, WebP, JPEG, MP4, MOV, WebM and MKV files as ComfyUI and its save nodes write them.
    The prompt that was executed becomes workflow_data, the workflow of the editor
    workflow_data_ui; a picture with only a workflow gives both. A picture that the session holds
    already, which the SHA-256 of its file tells, is left as it is. Exit code 3: some of the FILEs
    failed.

    \b
      casstore import-image ComfyUI/output/*.png
      casstore restore --session pictures --ui --to wf.json
    """
    from casstore.store import check_session

    check_session(session)
    results, stopped = [], None
    with ExitStack() as stack, run.progress("reading, in bytes") as progress:
        importer = _Importer(run, session, force, stack)
        sizes = [_size_of(name) for name in names]
        before, total = 0, sum(sizes)
        for name, count in zip(names, sizes, strict=True):
            try:
                if stopped is not None:
                    raise stopped
                results.append(importer.result(name, _from(progress, before, total)))
            except CasstoreError as error:
                if len(names) == 1:
                    raise
                if not _is_about_the_picture(error):
                    stopped = error
                results.append(_Result(name, error=error))
            before += count
    _answer(run, session, results)
    failed = [result.error for result in results if result.error is not None]
    if failed:
        ctx.exit(failed[0].exit_code if len(failed) == len(results) else _DONE_IN_PART)


class _Importer:
    """Saves pictures into one session of a store, which is opened for the first good one."""

    def __init__(self, run: Run, session: str, force: bool, stack: ExitStack) -> None:
        self._run = run
        self._session = session
        self._force = force
        self._stack = stack
        self._store: Store | None = None
        self._known: dict[str, _Version] = {}

    def result(self, name: str, progress: Callable[[int], None]) -> _Result:
        """Imports one file."""
        from casstore import pictures

        if name == files.STDIN:
            raise UsageError("a picture cannot be read from stdin; name its file", path=name)
        picture = pictures.read(name, progress=progress)
        store = self._open()
        where = _where(name, self._run.project_root)
        version = self._known.get(picture.sha256)
        before = version is not None
        if version is None:
            version = self._save(store, picture, where)
        return _Result(name, picture, *version, before, where["path"])

    def _open(self) -> Store:
        if self._store is None:
            self._store = self._stack.enter_context(self._run.open_store(create=True))
            if not self._force:
                self._known = _imported(self._store, self._session)
        return self._store

    def _save(self, store: Store, picture: Picture, where: Mapping[str, str]) -> _Version:
        from casstore.clock import timestamp

        data = picture.workflow if picture.prompt is None else picture.prompt
        attributes = jsontext.dumps(_attributes(picture, where)).decode()
        try:
            version_id = store.save_texts(
                self._session, data, picture.workflow, attributes, timestamp()
            )
        except InvalidDocument as error:
            raise type(error)(f"{picture.name}: {error.message}", **error.details) from None
        saved = _Version(version_id, store.version(version_id).content_hash)
        if not self._force:
            self._known[picture.sha256] = saved
        return saved


def _imported(store: Store, session: str) -> dict[str, _Version]:
    """The pictures that a session holds: SHA-256 to version and content hash, the first of each."""
    known: dict[str, _Version] = {}
    for info in store.versions(session):
        values = info.attributes
        if isinstance(values, dict) and values.get("source") == SOURCE:
            digest = values.get("sha256")
            if isinstance(digest, str):
                known.setdefault(digest, _Version(info.version_id, info.content_hash))
    return known


def _attributes(picture: Picture, where: Mapping[str, str]) -> dict[str, object]:
    values: dict[str, object] = {
        "source": SOURCE,
        **where,
        "sha256": picture.sha256,
        "format": picture.format,
        "prompt": picture.prompt is not None,
        "workflow": picture.workflow is not None,
    }
    if picture.damaged:
        values["damaged"] = True
    return values


def _where(name: str, root: str) -> dict[str, str]:
    """``path``: with forward slashes, relative to the project root, absolute for a picture
    outside, which is where ComfyUI mostly writes. For a name that is no text ``path`` is readable
    and ``path_bytes`` holds its bytes in hexadecimal."""
    path = files.path_in_project(name, root)
    if path is None:
        path = os.path.realpath(name).replace(os.sep, "/")
    try:
        path.encode()
    except UnicodeEncodeError:
        raw = os.fsencode(path)
        return {"path": raw.decode("utf-8", "backslashreplace"), "path_bytes": raw.hex()}
    return {"path": path}


def _is_about_the_picture(error: CasstoreError) -> bool:
    """False where the next picture would meet the same error: the store's."""
    from casstore.pictures import PictureError

    return isinstance(error, (PictureError, UsageError, InvalidDocument))


def _size_of(name: str) -> int:
    """Bytes of a file, for the progress; whatever is wrong with it is found when it is read."""
    try:
        return os.stat(name).st_size
    except (OSError, ValueError):
        return 0


def _from(progress: Callable[[int, int], None], before: int, total: int) -> Callable[[int], None]:
    """The progress of one file as a part of that of all."""
    return lambda done: progress(before + done, total)


def _answer(run: Run, session: str, results: Sequence[_Result]) -> None:
    failed = [result for result in results if result.error is not None]
    again = sum(result.imported_before for result in results)
    done = len(results) - len(failed) - again
    for result in failed:
        if result.error is not None:
            run.note(f"casstore: {result.error.message}")
    run.answer(
        {
            "session_id": session,
            "imported": done,
            "imported_before": again,
            "failed": len(failed),
            "pictures": [_values(result) for result in results],
        },
        *(line for result in results for line in _lines(result)),
        f"imported {done} of {counted(len(results), 'file')} into session {session}"
        + (f", {again} imported before" if again else "")
        + (f", {len(failed)} failed" if failed else ""),
    )


def _values(result: _Result) -> Mapping[str, Any]:
    picture, error = result.picture, result.error
    return {
        "file": result.file,
        "version_id": result.version_id,
        "imported_before": result.imported_before,
        "format": picture and picture.format,
        "path": result.path,
        "sha256": picture and picture.sha256,
        "size": picture and picture.size,
        "prompt": picture and picture.prompt is not None,
        "workflow": picture and picture.workflow is not None,
        "content_hash": result.content_hash,
        "notes": list(picture.notes) if picture else [],
        "error": error and error.as_dict(),
    }


def _lines(result: _Result) -> list[Line]:
    picture = result.picture
    if picture is None:
        return []
    texts = {"prompt": picture.prompt, "workflow": picture.workflow}
    what = " and ".join(name for name, text in texts.items() if text is not None)
    if result.imported_before:
        what = "imported before"
    about = f"{picture.format}, {size(picture.size)}, {what}"
    notes = (f"  note: {note}" for note in picture.notes)
    return [f"version {result.version_id}: {result.file} ({about})", *notes]
