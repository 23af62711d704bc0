"""A page as a program reads it: is it well-formed, what does it say, what does it refer to?"""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

VOID = ("meta", "img", "br", "hr", "link", "input")
REFERENCES = ("src", "href", "action", "data", "srcset", "xlink:href")


@dataclass
class Told:
    """What is on a page."""

    open: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    text: str = ""


class Reader(HTMLParser):
    """Reads a page with the standard library's parser."""

    def __init__(self) -> None:
        super().__init__()
        self.told = Told()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.told.tags.append(tag)
        self.told.references += [value or "" for name, value in attrs if name in REFERENCES]
        if tag not in VOID:
            self.told.open.append(tag)
        if tag == "h2":
            self.told.headings.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.told.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.told.open or self.told.open.pop() != tag:
            self.told.faults.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if self.told.open[-1:] == ["style"]:
            return
        self.told.text += data
        if self.told.open[-1:] == ["h2"]:
            self.told.headings[-1] += data


def read(path: Path) -> Told:
    """The page in a file."""
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    reader.told.faults += [f"<{tag}> stays open" for tag in reader.told.open]
    return reader.told
