"""From what a user gives to a description that can travel; all that can be refused is, here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from manyhands.applications.declaring import declared_by
from manyhands.applications.description import Description
from manyhands.applications.fitting import completed, options_as_json, require_fit
from manyhands.applications.locating import located


def describe(
    target: str | Callable[..., Any], options: Mapping[str, Any] | None = None
) -> Description:
    """Describe an application: a function, a class, or one of

        pi                         a built-in
        model.py:advance           a function of a file, which is executed to look at it
        package.module:advance     a function of a module, which is imported

    A function of the script that is running is described by the script's file, which is executed
    again in every process: under another name than `__main__`, so put what starts the campaign
    under `if __name__ == "__main__":`. A notebook's function is described by its source and that of
    what it uses. `options` are given to the application as keywords.
    """
    options_as_json(options or {})  # refuses what cannot travel before anything looks at it
    given = dict(options or {})
    found = located(target)
    declared = declared_by(found.target)
    require_fit(found.name, found.target, declared, given)
    options_json = options_as_json(completed(found.name, declared, given))
    return Description(
        kind=found.kind,
        name=found.name,
        place=found.place,
        function=found.function,
        version=found.version,
        folders=found.folders,
        source=found.source,
        options_json=options_json,
        block_samples=declared.block_samples,
        granule=declared.granule,
    )
