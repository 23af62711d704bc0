"""Tables and small pieces of a page; whatever comes from outside is escaped here."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from html import escape


def table(heads: Sequence[str], rows: Iterable[Sequence[object]], numbers: str = "") -> str:
    """A table; `numbers` has an n for each column that is set to the right."""
    kinds = [' class="n"' if one == "n" else "" for one in numbers.ljust(len(heads), "-")]
    head = "".join(f"<th{kind}>{escape(one)}</th>" for kind, one in zip(kinds, heads, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{cell(one)}</td>" for kind, one in zip(kinds, row, strict=True))
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def facts(rows: Iterable[tuple[str, object]]) -> str:
    """A table of what is called what."""
    body = "".join(f"<tr><th>{escape(name)}</th><td>{cell(one)}</td></tr>" for name, one in rows)
    return f'<div class="scroll"><table class="facts"><tbody>{body}</tbody></table></div>'


def cell(value: object) -> str:
    """What stands in one cell: whole numbers in groups of three, the rest as text."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    return escape(str(value))


def section(title: str, *parts: str) -> str:
    """A part of the page with its heading; nothing if there is nothing in it."""
    inside = "\n".join(one for one in parts if one)
    return f"<section>\n<h2>{escape(title)}</h2>\n{inside}\n</section>\n" if inside else ""


def note(text: str) -> str:
    """A remark."""
    return f'<p class="note">{escape(text)}</p>'


def code(text: str) -> str:
    """Something to be typed or read as it is."""
    return f"<pre>{escape(text)}</pre>"


def image(png: bytes, said: str, kind: str = "") -> str:
    """A picture within the page."""
    classes = f' class="{kind}"' if kind else ""
    data = b64encode(png).decode("ascii")
    return f'<img{classes} alt="{escape(said)}" src="data:image/png;base64,{data}">'


def notebook(
    title: str, said: str, rows: Iterable[tuple[str, str, str]], picture: bytes, where: str
) -> str:
    """A result in a notebook, which has a style of its own."""
    right, left = ' style="text-align:right"', ' style="text-align:left"'
    body = "".join(
        f"<tr><td{left}>{escape(name)}</td><td{left}>{escape(value)}</td>"
        f"<td{right}>{escape(part)}</td></tr>"
        for name, value, part in rows
    )
    head = f"<tr><th{left}>tally</th><th{left}>value</th><th{right}>relative error</th></tr>"
    shown = f'<div style="max-width:44em">{image(picture, title)}</div>' if picture else ""
    return (
        f"<div><b>{escape(title)}</b>: {escape(said)}<table>{head}{body}</table>{shown}"
        f"<code>{escape(where)}</code></div>"
    )
