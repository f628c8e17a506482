"""A bundle that another tool wrote, as a handoff: its project, and its places looked up in the checkout, else in the commit that it names."""

import os
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from cli.handoffs import evidence
from cli.wiring import now

if TYPE_CHECKING:
    from ingest.anchoring import Files
    from ingest.checkout import Checkout
    from journal.ranges import Shape
    from projections.anchors import Locator
    from projections.handoff_files import Foreign

SHARED = "the tool that wrote it gives every finding the same two places; a finding keeps those that its words name, the others stand under Evidence"
EMPTY = sha256(b"").hexdigest()[:16]
OUTSIDE = "it lies outside the project"
DRIVE = re.compile(r"([A-Za-z]:[\\/]\S*?)(?::(\d+)(?:-(\d+))?)?(?=\s|$)")


class Seen(NamedTuple):
    """What is known of the files that places name."""

    files: "Files"
    before: dict[str, bytes]
    """Path to content in the saved commit."""


def record(found: "Foreign", path: str) -> dict[str, Any]:
    """Return the inbox line of another tool's bundle that lies in the folder *path*."""
    from ingest import checkout
    from ingest.observation import observe
    from journal.timestamps import normalise
    from projections import handoff_files
    from projections.handoff_notes import HEADINGS, Item, Notes

    root = _root(found, path)
    place = checkout.find(root)
    seen = observe(root) if root and os.path.isdir(root) else {"root_commit": None, "remote": None}
    anchors = _anchors(found, place, root)
    items = {kind: [Item(row["text"], tuple(row["details"])) for row in found.statements if row["kind"] == kind] for kind in HEADINGS}
    notes = Notes(found.title, found.purpose, items, [], len(handoff_files.FILES))
    quality = evidence.quality(found.title, notes, "\n".join(row["text"] for row in found.statements), anchors)
    return {
        "type": "journal.handoff_bundle", "at": normalise(found.saved_at) or now(), "session_id": None, "replaces": None, "title": found.title,
        "purpose": found.purpose, "root": place.repository if place else root, "root_commit": seen["root_commit"], "remote": seen["remote"],
        "branch": found.branch, "head": found.head, "dirty": [], "tags": found.tags, "score": quality.score, "rating": quality.rating,
        "dimensions": quality.dimensions, "warnings": [*([SHARED] if found.is_shared else []), *quality.warnings], "statements": found.statements,
        "anchors": anchors,
    }  # fmt: skip


def _root(found: "Foreign", path: str) -> str | None:
    """Return the folder of the bundle's project.

    It is the one that it names, as long as that is there; else the work tree that the store lies in, or the checkout here where git has the
    commit at which it was saved; else the one that it names, which is not there.
    """
    from ingest import checkout
    from ingest.anchoring import Git

    if found.root and os.path.isdir(found.root):
        return found.root
    store = os.path.dirname(os.path.realpath(path))
    if os.path.basename(store) == ".context-handoffs":
        return os.path.dirname(store)
    here = checkout.find(os.getcwd())
    if here and found.root and found.head and found.head.isalnum() and Git(here.root).commits([found.head]):
        return here.root
    around = None if found.root else checkout.find(store)
    return around.root if around else found.root


def _anchors(found: "Foreign", place: "Checkout | None", root: str | None) -> list[dict[str, Any]]:
    from ingest.anchoring import Files, Git
    from projections import anchors as words

    files = Files(place.root if place else root or "/nowhere")
    named = [(one, _with_drive(one["path"]) or next(iter(words.of_detail(one["path"])), None)) for one in found.places]
    paths = [_path(one, locator.path, files.root) if locator and locator.kind == "file" else None for one, locator in named]
    wanted = sorted({path for path in paths if path})
    seen = Seen(files, Git(place.root).contents(found.head, wanted) if place and found.head else {})
    rows = []
    for (one, locator), path in zip(named, paths, strict=True):
        if locator is None or (one.get("anchor_kind") == "other" and locator.kind == "file"):
            continue  # prose; the statement keeps it
        row: dict[str, Any] = {"statement": one["statement"], "locator": locator.raw, "kind": locator.kind, "path": locator.path, "start": locator.start,
                               "end": locator.end, "symbol": locator.symbol, "reason": None, "shape": None}  # fmt: skip
        rows.append(row | (_file(one, path, locator.start, locator.end, seen) if locator.kind == "file" else {}))
    return rows


def _with_drive(text: str) -> "Locator | None":
    """Return the locator of a path with a drive of Windows at the beginning of *text*, None where there is none."""
    from projections.anchors import LABEL, Locator

    match = DRIVE.match(LABEL.sub("", text))
    if not match:
        return None
    start = int(match[2]) if match[2] else None
    return Locator(match[0], "file", match[1], start, int(match[3]) if match[3] else start)


def _file(one: dict[str, Any], path: str | None, start: int | None, end: int | None, seen: Seen) -> dict[str, Any]:
    """Return what an entry of the index says of a file, or of lines in it, as columns of an anchor."""
    kind = "file" if start is None else "range"
    if path is None:
        return {"kind": kind, "reason": OUTSIDE}
    told = one.get("content_hash")
    if start is not None and told == EMPTY:
        return {"kind": kind, "path": path, "reason": "the range was empty when it was saved"}
    shape, start, end = _shape(told, path, start, end, seen)
    is_lost = one.get("verified_at_save") is False or (shape is None and "content_hash" not in one and seen.files.lines(path) is None)
    reason = "it was not found when it was saved" if is_lost else None
    return {"kind": kind, "path": path, "start": start, "end": end, "reason": reason, "shape": None if is_lost else shape}


def _path(one: dict[str, Any], written: str, root: str) -> str | None:
    """Return the path of a place relative to the project, None outside it.

    Its index names it as it was found, from the root and in small letters; where it was found from a folder below, the written path is its end.
    """
    told = one.get("resolved_path")
    if isinstance(told, str) and told:
        told = _inside(told, root)
        if told is None:
            return None
        path = _inside(written, root)
        if path is not None and path.lower() == told.lower():
            return path
        end = os.path.normpath(written.replace("\\", "/"))
        return _spelled(told, root) or (told[: -len(end)] + end if told.lower().endswith("/" + end.lower()) else told)
    return _inside(written, root)


def _inside(path: str, root: str) -> str | None:
    """Return a path relative to the project, None where it does not lie in it."""
    path = path.replace("\\", "/")
    if path.startswith(root + "/"):
        return os.path.relpath(path, root)
    is_absolute = path.startswith(("/", "~")) or path[1:3] == ":/"
    path = os.path.normpath(path)
    return None if is_absolute or path == ".." or path.startswith("../") else path


def _spelled(path: str, root: str) -> str | None:
    """Return *path* in the letters that it has on disk, None where it is not there."""
    found = root
    for part in path.split("/"):
        if os.path.lexists(os.path.join(found, part)):
            found = os.path.join(found, part)
            continue
        try:
            same = [entry.path for entry in os.scandir(found) if entry.name.lower() == part.lower()]
        except OSError:
            return None
        if len(same) != 1:
            return None
        found = same[0]
    return os.path.relpath(found, root)


def _shape(told: object, path: str, start: int | None, end: int | None, seen: Seen) -> "tuple[Shape | None, int | None, int | None]":
    """Return the shape and lines of what was saved: of the content with the hash *told*, now or in the saved commit; else the hash alone."""
    from journal.ranges import Shape, hash_of, lines_of, shape_of

    for data in (seen.files.data(path), seen.before.get(path)):
        if data is None:
            continue
        lines = lines_of(data)
        if start is not None and end is not None:
            for first, last, is_same in ((start, end, hash_of(lines[start - 1 : end]) == told), _counted_otherwise(data, start, end, told)):
                if 1 <= first <= last <= len(lines) and (told is None or is_same):
                    return shape_of(lines, first, last), first, last
        elif told is None or told in _hashes(data):
            return Shape(hash_of(lines), "", (), (), ""), None, None
    return Shape(told, "", (), (), "") if isinstance(told, str) else None, start, end


def _counted_otherwise(data: bytes, start: int, end: int, told: object) -> tuple[int, int, bool]:
    """Return the lines, as they are counted here, of a range that was counted by `str.splitlines`, and whether they have the hash *told*.

    That ends a line at a form feed, a lone carriage return and some signs of Unicode as well.
    """
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    pieces = text.splitlines(keepends=True)
    inside = [piece.splitlines()[0] for piece in pieces[start - 1 : end]]
    first = "".join(pieces[: start - 1]).count("\n") + 1
    last = first + "".join(pieces[start - 1 : end]).rstrip("\n").count("\n")
    return first, last, sha256("\n".join(inside).encode("utf-8", "replace")).hexdigest()[:16] == told


def _hashes(data: bytes) -> set[str]:
    """Return the hashes that a file of this content has with either kind of line ends: git may have changed them on the way."""
    plain = data.replace(b"\r\n", b"\n")
    return {sha256(one).hexdigest()[:16] for one in (data, plain, plain.replace(b"\n", b"\r\n"))}
