"""Finds the workflow files and projects that a shell command names.

No shell is imitated: a command is cut into the words that could be paths, by every way of
quoting at once, and each is tried from the working folder and from the folders the command
changes to. A word too many costs a look at the disk; a word too few would cost a checkpoint.
"""

from casstore._system import system
from casstore.hook import paths
from casstore.hook.rules import Place, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casstore.hook.scan import Options

MAX_WORDS = 2000
"""Words of one command that are looked at."""

_MAX_BASES = 8
_SPACE = "\ufffe"  # a noncharacter, in place of an escaped space
_CUT = {ord(letter): " " for letter in "\t\r\n\v\f\"'`;|&<>()=,:@\x00"}
_CHANGE_FOLDER = ("cd", "pushd", "-C", "--directory", "Set-Location", "Push-Location", "sl")
_VAGUE = frozenset("*?[{$%")
_TRAILING = "]}.!?\\"


class Named:
    """What a command names: absolute paths of files, and inputs folders with their projects."""

    __slots__ = ("files", "folders", "outside")

    def __init__(self) -> None:
        self.files: dict[str, Place | None] = {}
        self.folders: dict[str, str] = {}
        self.outside: list[str] = []


def names_inputs(command: str, cwd: str, options: "Options") -> bool:
    """True where the command names an inputs folder or something in one."""
    found = words(command)
    return any(True for _ in _places(found, _bases(command, cwd), options, {}))


def named_in(
    command: str, cwd: str, root: str, environ: "Mapping[str, str]", options: "Options"
) -> "Named":
    """The workflow files (``.json``, existing, anywhere in the project) and the files under
    inputs folders that the command names, and the inputs folders of all projects it names."""
    found = words(command)
    bases = _bases(command, cwd)
    named = Named()
    for place in _places(found, bases, options, environ):
        _locate(place, cwd, root, named, options)
    _locate_projects(found, bases, root, environ, named, options)
    for word in found:
        if paths.folded(word[-5:]) == ".json" and not _VAGUE.intersection(word):
            for base in bases:
                path = paths.join(base, paths.expanded(word, environ))
                if path not in named.files and paths.exists(path):
                    named.files[path] = None
                    break
    return named


def words(command: str) -> "list[str]":
    """The parts of a command that could be paths, each once, in order, at most `MAX_WORDS`."""
    text = command.replace("\\ ", _SPACE)
    found: dict[str, None] = dict.fromkeys(_cut(text))
    for quote in ('"', "'"):
        if quote in text:
            for part in text.split(quote):
                if len(part) < 4096 and "\n" not in part and ("/" in part or "\\" in part):
                    found[part.strip()] = None
    for word in list(found)[:MAX_WORDS]:
        if "\\" in word:
            found[word.replace("\\", "/")] = None
    result: dict[str, None] = {}
    for word in list(found)[:MAX_WORDS]:
        result[word.replace(_SPACE, " ").rstrip("\\")] = None
    result.pop("", None)
    return list(result)


def _cut(text: str) -> "list[str]":
    return text.translate(_CUT).split()


def _bases(command: str, cwd: str) -> "list[str]":
    """The working folder and those that the command changes to."""
    bases = [cwd]
    found = [word.replace(_SPACE, " ") for word in _cut(command.replace("\\ ", _SPACE))]
    for before, word in zip(found, found[1:]):  # noqa: B905, RUF007  # no itertools here
        if before in _CHANGE_FOLDER and len(bases) < _MAX_BASES:
            bases.append(paths.join(bases[-1], word))
            if bases[-2] != cwd:
                bases.append(paths.join(cwd, word))
    return bases


def _places(
    found: "list[str]", bases: "list[str]", options: "Options", environ: "Mapping[str, str]"
) -> "Iterator[Place]":
    """Every meeting of a word with the pattern. Without ``environ`` no ``~`` is expanded."""
    for word in found:
        bare = "/" not in word
        spelled = paths.expanded(word, environ) if environ else word
        for base in bases:
            path = paths.normalised(paths.join(base, spelled))
            place = place_of(path, options)
            if place is None:
                continue
            # with a working folder inside inputs every word would be a path in it
            if bare and place.below and not _is_file_name(word, path):
                continue
            yield place


def _is_file_name(word: str, path: str) -> bool:
    return paths.folded(word[-5:]) == ".json" or "*" in word or "?" in word or paths.exists(path)


def _locate(place: "Place", cwd: str, root: str, named: "Named", options: "Options") -> None:
    """Adds what is really there for a place: as written, or the same project under the root
    where the path is written with a variable or from another folder."""
    tail = "/".join(place.folder.split("/")[-len(options.inputs) :])
    head = place.folder[: -len(tail)].rstrip("/")
    heads = dict.fromkeys((head, root.rstrip("/"), cwd.rstrip("/")))
    folders = [folder for start in heads for folder in _expand(start, tail)]
    there = [folder for folder in folders if paths.exists(folder) and _inside(root, folder)]
    if not there:
        if not _inside(root, place.folder):
            named.outside.append(place.folder)
            return
        if _VAGUE.intersection(tail):
            return
        there = [place.folder]
    for folder in there if _VAGUE.intersection(tail) else there[:1]:
        met = place_of(paths.normalised(folder), options)
        project = met.project if met is not None else place.project
        named.folders.setdefault(folder, project)
        if not _VAGUE.intersection(tail):
            _name_file(folder, place.below, project, named)


def _name_file(folder: str, below: str, project: str, named: "Named") -> None:
    if not below or _VAGUE.intersection(below):
        return
    path = f"{folder}/{below}"
    if not paths.exists(path):
        path = path.rstrip(_TRAILING)
        if not paths.exists(path) and "." not in path.rpartition("/")[2]:
            return  # most likely a folder to be made
    named.files[path] = Place(project, folder, below)


def _locate_projects(
    found: "list[str]",
    bases: "list[str]",
    root: str,
    environ: "Mapping[str, str]",
    named: "Named",
    options: "Options",
) -> None:
    """Adds the inputs folders of projects named without it: ``projects/<id>``, or the bare id."""
    if "*" not in options.inputs:
        return
    length = options.inputs.index("*") + 1
    rest = "/".join(options.inputs[length:])
    for word in found:
        if "/" not in word or _VAGUE.intersection(word):
            continue
        for base in bases:
            path = paths.normalised(paths.join(base, paths.expanded(word, environ)))
            place = place_of(path, options, length)
            if place is not None:
                folder = f"{place.folder}/{rest}" if rest else place.folder
                if _inside(root, folder) and paths.exists(folder):
                    named.folders.setdefault(folder, place.project)
    if not named.folders:
        spoken = frozenset(found)
        for folder, project in projects_under(root, options):
            if project in spoken:
                named.folders[folder] = project


def projects_under(root: str, options: "Options") -> "list[tuple[str, str]]":
    """The inputs folders under ``root`` and their projects, sorted, for a pattern directly under
    the root."""
    folders = _expand(root.rstrip("/"), "/".join(options.inputs))
    found = []
    for folder in folders:
        place = place_of(folder, options)
        if place is not None and paths.exists(folder):
            found.append((folder, place.project))
    return found


def _expand(head: str, tail: str) -> "list[str]":
    """``head/tail`` with each vague part of ``tail`` replaced by the names that it may mean."""
    made = [head]
    for part in tail.split("/"):
        if not _VAGUE.intersection(part):
            made = [f"{folder}/{part}" for folder in made]
            continue
        grown = []
        for folder in made[:100]:
            try:
                names = system.listdir(folder)
            except (OSError, ValueError):
                continue
            grown += [f"{folder}/{name}" for name in sorted(names) if _may_mean(part, name)]
        made = grown
    return made


def _may_mean(part: str, name: str) -> bool:
    """True where a glob may stand for a name; what a shell would work out, may be any name."""
    if name.startswith("."):
        return False
    if set("[{$%?").intersection(part):
        return True
    pieces = part.split("*")
    if not name.startswith(pieces[0]) or not name.endswith(pieces[-1]):
        return False
    at = len(pieces[0])
    for piece in pieces[1:-1]:
        at = name.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return at + len(pieces[-1]) <= len(name)


def _inside(root: str, path: str) -> bool:
    try:
        return paths.below(paths.resolved(root), paths.resolved(path)) is not None
    except (OSError, ValueError):
        return False
