"""Imports go downward only, and siblings do not know each other."""

from __future__ import annotations

from tests.tidy.source import (
    PACKAGE,
    PACKAGE_FOLDER,
    ROOT,
    Import,
    Source,
    findings,
    imports,
    snippet,
    sources,
)

LOWER = {"model", "control", "pilot", "statistics", "scheduling", "models", "applications"}
MIDDLE = {"healing", "runtime", "simulator", "analysis", "archive", "workflows"}

# From the bottom of the house to its top: what each folder may import besides itself.
MAY_IMPORT: dict[str, set[str]] = {
    # what exists
    "model": set(),
    # what to do, and how sure we are: pure, and siblings
    "control": {"model"},
    "pilot": {"model"},
    "statistics": {"model"},
    "scheduling": {"model"},
    "models": {"model"},
    "applications": {"model", "statistics"},
    "healing": {"model", "control"},
    # the drivers, and what reads their journals
    "runtime": {"model", "control", "pilot", "applications", "statistics"},
    "simulator": {"model", "control", "pilot"},
    "analysis": {"model", "control", "statistics", "models"},
    "archive": {"model", "statistics", "models"},
    "workflows": {"model", "control", "scheduling"},
    # what people see
    "gateway": LOWER | MIDDLE,
    "api": LOWER | MIDDLE,
    "cli": LOWER | MIDDLE | {"gateway", "api"},
}

# What every folder may take from the package itself.
OF_THE_PACKAGE = {"__version__"}


def upward_imports(source: Source) -> list[str]:
    """Return every import that the table does not allow."""
    if not source.layer:
        return []  # the package's own __init__ only gathers the public names
    allowed = MAY_IMPORT.get(source.layer, set()) | {source.layer}
    return [
        source.finding(found.line, f"{source.layer} may not import {layer}")
        for found in imports(source)
        if (layer := _layer(found)) and layer not in allowed
    ]


def test_imports_go_downward_only() -> None:
    assert not findings(upward_imports, sources(f"{PACKAGE_FOLDER}/**/*.py"))


def test_every_folder_is_in_the_table() -> None:
    folders = {path.parent.name for path in (ROOT / PACKAGE_FOLDER).glob("*/*.py")}
    assert folders <= MAY_IMPORT.keys()


def test_the_table_itself_goes_downward() -> None:
    seen: set[str] = set()
    for layer, allowed in MAY_IMPORT.items():
        assert allowed <= seen, f"{layer} imports a folder that does not stand below it"
        seen.add(layer)


def test_an_upward_import_is_seen() -> None:
    bad = """
        import manyhands.simulator.kernel
        from manyhands import runtime, __version__
        from manyhands.control.campaign import Campaign
        from ..pilot import machine
        from . import events
        import json
    """
    found = upward_imports(snippet(bad))
    assert [line.rsplit(" ", 1)[1] for line in found] == [
        "simulator",
        "runtime",
        "control",
        "pilot",
    ]


def _layer(found: Import) -> str:
    """Return the subpackage that an import reaches; empty if it leaves the package alone."""
    parts = [*found.module.split("."), found.name]
    if parts[0] != PACKAGE or parts[1] in OF_THE_PACKAGE:
        return ""
    return parts[1] or PACKAGE
