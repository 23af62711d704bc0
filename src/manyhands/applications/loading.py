"""From a description to an application that runs in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from manyhands.applications.built_in import BUILT_IN, built_in
from manyhands.applications.declaring import BadApplication, Declared, declared_by
from manyhands.applications.description import Description, Kind
from manyhands.applications.executing import (
    add_to_path,
    attribute,
    digest_of,
    module_by_name,
    module_from_source,
)
from manyhands.applications.fitting import PREPARED, chosen, wants_prepared
from manyhands.applications.locating import version_of_module
from manyhands.applications.stream import Stream

Advance = Callable[[int, Stream], dict[str, Any]]


class ApplicationChanged(BadApplication):
    """What has this name here is not what was described: another version."""


class Application:
    """An application in this process: `prepare` once, then `advance` as often as is wanted."""

    def __init__(self, description: Description, target: Any) -> None:
        self.name = description.name
        self.version = description.version
        self.options = description.options
        self.block_samples = description.block_samples
        self.granule = description.granule
        self._target = target
        self._advance: Advance | None = None

    def prepare(self) -> None:
        """Make ready what the application makes ready; only the first call does anything."""
        if self._advance is None:
            self._advance = _prepared(self._target, declared_by(self._target), self.options)

    def advance(self, samples: int, stream: Stream) -> dict[str, Any]:
        """Simulate; what the function returns is returned as it is, and nothing is caught."""
        self.prepare()
        assert self._advance is not None
        return self._advance(samples, stream)


def load(description: Description) -> Application:
    """Find an application again, in a process that knows only its description."""
    return Application(description, target_of(description))


def target_of(description: Description) -> Any:
    """The function or class that was described."""
    match description.kind:
        case Kind.BUILTIN:
            found = built_in(description.place)
            _require_version(description, BUILT_IN[description.place])
            return found
        case Kind.MODULE:
            add_to_path(description.folders)
            module = module_by_name(description.place)
            _require_version(description, description.place)
            return attribute(module, description.function, description.place)
        case Kind.FILE:
            return _of_file(description)
        case Kind.SOURCE:
            add_to_path(description.folders)
            shown = f"<{description.name} as submitted>"
            module = module_from_source(
                description.source, shown, description.place, description.function
            )
            return attribute(module, description.function, shown)


def _of_file(description: Description) -> Any:
    """Imports beside the file are found only where the file is still the same."""
    path = Path(description.place)
    shown = f"<{path.name} as submitted>"
    if _is_same(path, description.version):
        add_to_path(description.folders)
        shown = str(path)
    module = module_from_source(description.source, shown, description.place, description.function)
    return attribute(module, description.function, shown)


def _is_same(path: Path, version: str) -> bool:
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return False
    return digest_of(source.encode()) == version


def _require_version(description: Description, module: str) -> None:
    here = version_of_module(module)
    if here != description.version:
        raise ApplicationChanged(
            f"{description.name} is another version here ({here[:12]}) than where the campaign "
            f"was made ({description.version[:12]}): install the same everywhere"
        )


def _prepared(target: Any, declared: Declared, options: dict[str, Any]) -> Advance:
    if isinstance(target, type):
        instance: Any = target(**options)
        if hasattr(instance, "prepare"):
            instance.prepare()
        found: Advance = instance.advance
        return found
    given = dict(options)
    if declared.prepare is not None:
        made = declared.prepare(**chosen(declared.prepare, options))
        if wants_prepared(target):
            given[PREPARED] = made
    return partial(target, **given)
