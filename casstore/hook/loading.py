"""Starts the hook's process: finds the package from its own place and loads only what is needed.

The ``__init__`` modules of the package are stood in for: a hook does not need them (0.4 ms of a
9 ms start). Its own modules are loaded from their cached bytecode, past the import machinery,
which costs 60 us a module besides running it: 0.9 ms for the 15 modules of a capture. `load`
does what the machinery would do for a cached module that is up to date, and nothing else; for a
module without bytecode, or with that of another Python or another state of the source, the
ordinary import takes over, and writes it.

The scripts import this module by its bare name, before there is a package.
"""

import marshal
import sys

FOLDER = __file__.replace("\\", "/").rpartition("/")[0]
PACKAGE = FOLDER.rpartition("/")[0]

# What is needed together, each in the order of its imports.
GATE = ("_system", "hook.deadline", "hook.scan", "hook.gate")
JUDGING = ("hook.paths", "hook.jsonio", "hook.rules", "hook.handling")
KEEPING = (
    "inbox",
    "hook.session",
    "hook.reading",
    "hook.capture",
    "hook.outcome",
    "hook.checkpoint",
    "detach",
)


def start(name: str) -> None:
    """Runs ``main`` of the module ``casstore.hook.<name>``, in a process of its own."""
    if sys.path and sys.path[0] == FOLDER:
        del sys.path[0]  # the script put it there to find this module
    for package, folder in (("casstore", PACKAGE), ("casstore.hook", FOLDER)):
        if package not in sys.modules:
            module = type(sys)(package)
            module.__path__ = [folder]
            sys.modules[package] = module
    sys.modules["casstore.hook.loading"] = sys.modules[__name__]
    load(GATE)
    full = f"casstore.hook.{name}"
    __import__(full)
    sys.modules[full].main()


def load(names: "tuple[str, ...]") -> None:
    """Puts these modules of casstore into ``sys.modules`` where that can be done fast. What it
    passes over is imported in the ordinary way when it is asked for."""
    try:
        import posix
    except ImportError:
        return
    magic = getattr(sys.modules.get("_frozen_importlib_external"), "MAGIC_NUMBER", None)
    tag = sys.implementation.cache_tag
    if magic is None or tag is None or sys.pycache_prefix or sys.flags.optimize:
        return
    for name in names:
        full = f"casstore.{name}"
        if full in sys.modules:
            continue
        head, _, tail = full.rpartition(".")
        folder = PACKAGE if head == "casstore" else FOLDER
        source = f"{folder}/{tail}.py"
        try:
            handle = posix.open(f"{folder}/__pycache__/{tail}.{tag}.pyc", posix.O_RDONLY)
            try:
                data = posix.read(handle, posix.fstat(handle).st_size)
            finally:
                posix.close(handle)
            status = posix.stat(source)
            stamp = (int(status.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little")
            size = (status.st_size & 0xFFFFFFFF).to_bytes(4, "little")
            # the four zero bytes say that the bytecode is checked by time and size
            if data[:16] != magic + b"\x00\x00\x00\x00" + stamp + size:
                return
            code = marshal.loads(memoryview(data)[16:])
        except (OSError, ValueError, EOFError, TypeError):
            return
        module = type(sys)(full)
        module.__file__ = source
        module.__package__ = head
        sys.modules[full] = module
        try:
            exec(code, module.__dict__)
        except BaseException:
            del sys.modules[full]
            raise
        setattr(sys.modules[head], tail, module)
