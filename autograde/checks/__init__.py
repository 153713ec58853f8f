"""The checks, one module per chapter; each check has the name of the function it checks."""

from importlib import import_module
from importlib.util import find_spec

from autograde.check import Check


def find(chapter: str, function: str) -> Check:
    """The check of one exercise.

    Raises:
        LookupError: there is none, so the exercise cannot be graded.
    """
    name = f"{__name__}.{chapter}"
    check = getattr(import_module(name), function, None) if find_spec(name) else None
    if not isinstance(check, Check):
        raise LookupError(f"autograde/checks/{chapter}.py has no check named {function}")
    return check
