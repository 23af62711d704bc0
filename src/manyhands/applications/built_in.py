"""The applications that come with manyhands, by their names."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from manyhands.applications.declaring import BadApplication
from manyhands.model.malformed import nearest

BUILT_IN = {
    "pi": "manyhands.applications.pi",
    "slab": "manyhands.applications.slab",
    "photons": "manyhands.applications.photons",
}


def built_in(name: str) -> Any:
    """The function of a built-in application; its module is imported only now."""
    if name not in BUILT_IN:
        raise BadApplication(
            f"there is no built-in application '{name}': there are {', '.join(BUILT_IN)}, "
            f"and file.py:function for your own{nearest(name, list(BUILT_IN))}"
        )
    return getattr(import_module(BUILT_IN[name]), name)


def name_if_built_in(target: object) -> str | None:
    """The name of a built-in application, given its function."""
    module, name = getattr(target, "__module__", None), getattr(target, "__name__", "")
    return name if BUILT_IN.get(name) == module else None
