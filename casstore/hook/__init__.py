"""The hook: a checkpoint before each tool call that could spoil a workflow. See ``docs/hook.md``.

    is_high_value(event)      is a checkpoint due before this call?
    HIGH_VALUE_NEEDLES        what a command, skill or its arguments hold when it is
    allow(reason)             the hook's usual answer: no objection, not one byte
    deny(reason)              a refusal, which strict mode alone gives

The hook's process imports modules of this package one by one; names here load on use.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from casstore.hook.outcome import allow, deny
    from casstore.hook.rules import is_high_value
    from casstore.hook.scan import HIGH_VALUE_NEEDLES

_HOME = {
    "HIGH_VALUE_NEEDLES": "casstore.hook.scan",
    "allow": "casstore.hook.outcome",
    "deny": "casstore.hook.outcome",
    "is_high_value": "casstore.hook.rules",
}

__all__ = ["HIGH_VALUE_NEEDLES", "allow", "deny", "is_high_value"]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'casstore.hook' has no attribute {name!r}")
    value = getattr(__import__(home, fromlist=[name]), name)
    globals()[name] = value
    return value
