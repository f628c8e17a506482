"""Handoffs as bundle directories: export, import, and what is wrong with one."""

import argparse
import contextlib
import os
import sqlite3
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cli.amounts import counted
from cli.handoffs import foreign, lines, rows
from cli.render import print_json, print_table, print_text, say
from cli.wiring import now, read_views
from journal.errors import NotFound, SettingInvalid
from journal.home import Home
from journal.settings import Settings

if TYPE_CHECKING:
    from projections.drift import Anchor

KEPT = "SELECT name, text FROM handoff_files WHERE handoff_id = ? ORDER BY name, number"
PART_CHARS = 30_000
"""A file of an imported bundle is kept in parts of this size."""
INDEX_ENTRY = "../index.json"
"""The name under which the entry of a bundle in its store's index is kept: no file of a bundle can have it."""


def export(settings: Settings, asked: argparse.Namespace) -> int:
    """Write a handoff as a bundle directory of eight files."""
    from ingest import bundle_folders

    with contextlib.closing(read_views(settings)) as views:
        place = rows.here()
        bundle = rows.chosen(views, asked.query, place, foreign=True)
        root = place.root if place and rows.is_own(views, bundle, place) else bundle["root"]
        files, entry, name = _files(views, bundle, root)
    store = os.path.abspath(asked.output or os.path.join(place.root if place else os.getcwd(), bundle_folders.LOCAL))
    path, is_new = bundle_folders.write(store, name, files, entry)
    if asked.json:
        print_json({"handoff_id": bundle["handoff_id"], "path": path, "files": sorted(files), "is_new": is_new})
        return 0
    print_text(f"{bundle['handoff_id']}: {path} ({counted(len(files), 'file')}{'' if is_new else ', there already'})")
    return 0


def bring_in(settings: Settings, asked: argparse.Namespace) -> int:
    """Read bundle directories, or stores of them, into the journal; what it has already is passed over."""
    from ingest import bundle_folders

    place = rows.here()
    stores = asked.paths or bundle_folders.stores(place.root if place else None, dict(os.environ))
    if not stores:
        raise NotFound("there is no store of bundles here or in the home folder", hint="name one: journal handoff import PATH")
    known = _known(settings)
    done: list[dict[str, Any]] = []
    for path in (bundle for store in stores for bundle in bundle_folders.bundles(store)):
        try:
            record = _record(path)
        except SettingInvalid as error:
            done.append({"path": path, "handoff_id": None, "title": None, "standing": "refused", "reason": str(error)})
            continue
        _unlink_others(record, known)
        standing = "known" if record["handoff_id"] in known else "would be imported" if asked.dry_run else "imported"
        if standing == "imported":
            lines.put(settings, record["session_id"], record)
        known[record["handoff_id"]] = record["root"]
        done.append({"path": path, "handoff_id": record["handoff_id"], "title": record["title"], "standing": standing, "reason": None})
    if asked.json:
        print_json({"bundles": done, "dry_run": asked.dry_run})
    else:
        print_table(("handoff", "standing", "title", "path"), [(one["handoff_id"], one["standing"], one["title"], one["path"]) for one in done])
        for one in done:
            if one["reason"]:
                say(one["reason"])
    return 1 if any(one["standing"] == "refused" for one in done) else 0


def _known(settings: Settings) -> dict[str, str | None]:
    """Return the handoffs that there are, each with its project."""
    if not os.path.exists(Home(settings.home).views_db):
        return {}
    with contextlib.closing(read_views(settings)) as views:
        return dict(views.execute("SELECT handoff_id, root FROM handoff_bundles").fetchall())


def _unlink_others(record: dict[str, Any], known: dict[str, str | None]) -> None:
    """Take out of a record what it says to replace or to unite of another project, or of itself: it would leave that project's list."""
    def is_other(name: object) -> bool:
        return name == record["handoff_id"] or (isinstance(name, str) and name in known and known[name] != record["root"])

    if is_other(record.get("replaces")):
        say(f"{record['handoff_id']} says to replace {record['replaces']}, a handoff of another project or itself: that is left out")
        record["replaces"] = None
    merges = record.get("merges")
    record["merges"] = [name for name in merges if not is_other(name)] if isinstance(merges, list) else []


def _files(views: sqlite3.Connection, bundle: dict[str, Any], root: str | None) -> tuple[dict[str, str], dict[str, Any], str]:
    """Return the files of a handoff's bundle, its entry in an index, and the directory's name; *root* is where its files lie."""
    import json

    from projections import handoff_files

    kept: dict[str, str] = {}
    for name, text in views.execute(KEPT, (bundle["handoff_id"],)):
        kept[name] = kept.get(name, "") + text
    told = kept.pop(INDEX_ENTRY, None)
    origins = rows.origins(views, bundle["handoff_id"])
    statements = [{"id": name, "kind": kind, "text": text, "details": details, "origin": origins.get(name)}
                  for name, kind, text, details in rows.statements(views, bundle["handoff_id"])]  # fmt: skip
    name = bundle["facts"].get("directory") or handoff_files.folder_of(bundle)
    project = os.path.basename(bundle["root"] or "") or "project"
    merges = [one for one in rows.lineage(views, bundle["handoff_id"])["older"] if one != bundle["replaces"]]
    anchors = rows.anchors(views, bundle["handoff_id"])
    files = kept or handoff_files.of({**bundle, "merges": merges}, statements, anchors, project, _hashes(anchors, root))
    moment = handoff_files.moment_of(bundle["saved_at"])
    entry = json.loads(told) if told else {
        "id": name, "title": bundle["title"], "slug": handoff_files.slug_of(bundle["title"]), "created_at": moment,
        "updated_at": moment, "path": name, "repo_root": bundle["root"] or "", "branch": bundle["branch"] or "",
        "head_commit": bundle["head"] or "", "dirty": "true" if bundle["dirty"] else "false", "tags": bundle["tags"],
        "quality": {"score": bundle["score"], "overall": bundle["rating"]}, "storage_mode": "repo-local",
    }  # fmt: skip
    return files, entry, name


def _hashes(anchors: "list[Anchor]", root: str | None) -> dict[str, str]:
    """Return the hashes of the bytes of the files that anchors name whole, of those that are as they were."""
    from ingest.anchoring import Files
    from journal.ranges import hash_of, lines_of

    files, found = Files(root or "/nowhere"), {}
    for one in anchors:
        data = files.data(one.path) if one.kind == "file" and one.shape else None
        if data is not None and one.shape and hash_of(lines_of(data)) == one.shape.hash:
            found[one.path] = sha256(data).hexdigest()[:16]
    return found


def _record(path: str) -> dict[str, Any]:
    """Return the lines' content for a bundle directory.

    Raises: SettingInvalid: the directory is no bundle.
    """
    import json

    from ingest import bundle_folders
    from journal.timestamps import normalise
    from projections import handoff_files

    files = bundle_folders.read(path)
    entry = bundle_folders.entry_of(path)
    own = handoff_files.is_ours(files)
    if own:
        names = ("handoff_id", "chain_id", "replaces", "merges", "session_id", "title", "purpose", "root", "root_commit", "remote", "branch", "head", "dirty",
                 "tags", "score", "rating", "dimensions", "warnings", "facts", "statements", "anchors")  # fmt: skip
        session_id = own["session_id"] if isinstance(own.get("session_id"), str) else None
        at = normalise(own.get("saved_at")) or now()
        return {"type": "journal.handoff_bundle", **{name: own.get(name) for name in names}, "at": at, "session_id": session_id}
    name = os.path.basename(os.path.realpath(path))
    found = handoff_files.read(files, name)
    if not found.statements:
        raise SettingInvalid(f"{path}: no findings, questions or evidence can be read in it", hint="see what is wrong: journal handoff validate PATH")
    record = foreign.record(found, path)
    kept = {**files, **({INDEX_ENTRY: json.dumps(entry, ensure_ascii=False)} if entry else {})}
    parts = [{"name": one, "number": at // PART_CHARS + 1, "text": text[at : at + PART_CHARS]}
             for one, text in kept.items() for at in range(0, max(len(text), 1), PART_CHARS)]  # fmt: skip
    handoff_id = handoff_files.identity_of({**files, "": name})
    return {**record, "handoff_id": handoff_id, "chain_id": handoff_id, "facts": {"directory": name}, "files": parts}
