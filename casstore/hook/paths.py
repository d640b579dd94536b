"""Paths as the hook needs them: absolute, links followed as the kernel would, forward slashes.

The same answers as ``os.path`` and `casstore.location` give, without importing ``os`` on POSIX
systems. Only looks at names and links; opens nothing.
"""

from casstore._system import WINDOWS, system
from casstore.hook.scan import IGNORE_CASE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_MAX_LINKS = 40
_MAX_LENGTH = 32 * 1024
"""Letters of a path, more than any system takes. A longer one is not looked for part by part."""
_MARKERS = (".claude", ".git")


def slashes(path: str) -> str:
    """Forward slashes where the system separates with backslashes as well."""
    return path.replace("\\", "/") if WINDOWS else path


def is_absolute(path: str) -> bool:
    return path.startswith("/") or (WINDOWS and path[1:3] in (":/", ":\\"))


def join(base: str, path: str) -> str:
    """``path`` seen from the folder ``base``."""
    path = slashes(path)
    if is_absolute(path):
        return path if path[:1] != "/" or not WINDOWS else base[:2] + path
    return f"{base}/{path}"


def normalised(path: str) -> str:
    """Without ``.``, ``..`` and empty parts, by the text alone, as ``os.path.normpath``."""
    if WINDOWS:
        return slashes(system.path.normpath(path))
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    start = "//" if path.startswith("//") and not path.startswith("///") else "/"
    return start + "/".join(parts)


def resolved(path: str) -> str:
    """An absolute path with every link and ``..`` followed; parts that do not exist stay as they
    are. Raises ``OSError`` for a circle of links, ``ValueError`` for what cannot be a path."""
    if WINDOWS:
        return slashes(system.path.realpath(path))
    if "\x00" in path:
        raise ValueError("a path cannot hold a NUL character")
    if len(path) > _MAX_LENGTH:
        raise OSError(36, "the path is too long")
    rest = path.split("/")
    rest.reverse()
    done = ""
    links = 0
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            done = done.rpartition("/")[0]
            continue
        step = f"{done}/{part}"
        try:
            target = system.readlink(step)
        except OSError:  # no link, or nothing there
            done = step
            continue
        links += 1
        if links > _MAX_LINKS:
            raise OSError(40, "too many links", path)
        if target.startswith("/"):
            done = ""
        rest.extend(reversed(target.split("/")))
    return done or "/"


def folded(name: str) -> str:
    """What two names have in common that mean the same file on this system."""
    return name.lower() if IGNORE_CASE else name


def below(folder: str, path: str) -> "str | None":
    """``path`` relative to ``folder``; None where it does not lie in it. Both are resolved."""
    start = folder if folder.endswith("/") else folder + "/"
    if folded(path).startswith(folded(start)):
        return path[len(start) :]
    return None


def exists(path: str) -> bool:
    try:
        system.stat(path)
    except (OSError, ValueError):
        return False
    return True


def project_root(environ: "Mapping[str, str]", cwd: str) -> str:
    """As `casstore.location.project_root`."""
    named = environ.get("CLAUDE_PROJECT_DIR")
    if named:
        return normalised(join(cwd, named))
    folder = start = normalised(cwd)
    while True:
        above, _, name = folder.rpartition("/")
        for marker in _MARKERS:
            if exists(f"{above}/{name}/{marker}" if name else f"{folder}{marker}"):
                return folder
        if not name:
            return start
        folder = above if above.strip("/") else folder[: -len(name)]


def store_path(environ: "Mapping[str, str]", cwd: str) -> str:
    """As `casstore.location.store_path`."""
    named = environ.get("COMFYUI_AGENT_CHECKPOINT_DB")
    if named:
        return normalised(join(cwd, expanded(named, environ)))
    return project_root(environ, cwd).rstrip("/") + "/host/.cache/checkpoint.sqlite"


def expanded(path: str, environ: "Mapping[str, str]") -> str:
    """A leading ``~`` replaced by the home folder."""
    if not path.startswith("~"):
        return path
    home = environ.get("HOME")
    if not WINDOWS and home and (path == "~" or path.startswith("~/")):
        return (home.rstrip("/") + path[1:]) or "/"
    import os  # another user's home, or a system that keeps it elsewhere: rare

    return slashes(os.path.expanduser(path))
