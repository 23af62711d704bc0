"""The user's own code, executed: a module from a source, a function in it, in one line if it fails.

A script is often an application's file as well: it defines a function and then starts a campaign
with it. Where the application is loaded, the script is executed only as far as that start, at
which the function is as it was for whoever started it. So whoever starts a campaign calls
`require_not_being_loaded` first: else campaigns would start campaigns without end. What stands
under `if __name__ == "__main__":` is never executed there, since the module has another name.
"""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from hashlib import sha256
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeVar

from manyhands.applications.declaring import BadApplication
from manyhands.model.malformed import nearest, sentence

LISTED_MAX = 10  # how many functions a message names

T = TypeVar("T")

_loading: ContextVar[bool] = ContextVar("loading", default=False)


class CampaignStarts(BaseException):
    """A file that is executed only for its functions has come to where it starts a campaign."""


def require_not_being_loaded() -> None:
    """Execute no further, if this is only executed for its functions."""
    if _loading.get():
        raise CampaignStarts


def digest_of(source: bytes) -> str:
    """The version of a source."""
    return sha256(source).hexdigest()


@contextmanager
def importable(folders: tuple[str, ...]) -> Iterator[None]:
    """Look for imports in these folders first, for a while."""
    added = add_to_path(folders)
    try:
        yield
    finally:
        for folder in added:
            if folder in sys.path:
                sys.path.remove(folder)


def add_to_path(folders: tuple[str, ...]) -> list[str]:
    """Look for imports in these folders first, from now on, where they exist; those added."""
    added = [one for one in folders if one not in sys.path and Path(one).is_dir()]
    sys.path[:0] = added
    return added


def module_from_source(source: str, shown: str, path: str, function: str) -> ModuleType:
    """A module made of a source for a function in it; `shown` is what tracebacks call its file."""
    name = f"manyhands_application_{digest_of(source.encode())[:16]}"
    module = ModuleType(name)
    module.__file__ = path
    try:
        code = compile(source, shown, "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        said = getattr(error, "msg", None) or sentence(error)
        raise BadApplication(f"{shown}:{line}: {said}") from None
    # No time of change: the lines are kept, whatever happens to the file.
    linecache.cache[shown] = (len(source), None, source.splitlines(keepends=True), shown)
    sys.modules[name] = module
    try:
        _guarded(shown, lambda: _execute(code, module, function))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _execute(code: CodeType, module: ModuleType, function: str) -> None:
    try:
        exec(code, module.__dict__)
    except CampaignStarts:
        if function.partition(".")[0] not in vars(module):
            raise


def module_by_name(name: str) -> ModuleType:
    """A module that Python finds by its name."""
    return _guarded(name, lambda: import_module(name))


def attribute(module: ModuleType, qualified_name: str, shown: str) -> Any:
    """What a module has under this name, which may have dots."""
    try:
        return attrgetter(qualified_name)(module)
    except AttributeError:
        has = functions_of(module)
        listed = ", ".join(has[:LISTED_MAX]) + (", …" if len(has) > LISTED_MAX else "")
        there = f"it has {listed}" if has else "it defines none"
        hint = nearest(qualified_name, has)
        raise BadApplication(f"{shown} has no function '{qualified_name}': {there}{hint}") from None


def functions_of(module: ModuleType) -> list[str]:
    """The functions and classes that a module defines itself."""
    return [
        name
        for name, value in vars(module).items()
        if callable(value) and not name.startswith("_")
        if getattr(value, "__module__", None) == module.__name__
    ]


def _guarded(shown: str, work: Callable[[], T]) -> T:
    """Do what executes the user's code; its failure becomes one line, with the line where."""
    token = _loading.set(True)
    try:
        return work()
    except BadApplication:
        raise
    except CampaignStarts:
        raise BadApplication(
            f"{shown} starts a campaign when it is loaded for its application: "
            'put that under if __name__ == "__main__":'
        ) from None
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {sentence(error)}"
        raise BadApplication(
            f"{shown} could not be loaded: {_place(error, shown)}{said}"
        ) from error
    finally:
        _loading.reset(token)


def _place(error: BaseException, shown: str) -> str:
    """The last line of this file that was being executed, as the begin of a sentence."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == shown]
    return f"line {lines[-1]}: " if lines else ""
