"""Commands that keep handoffs in order: delete, undelete, prune and merge. Each is an event; nothing is lost."""

import argparse
import contextlib
import sqlite3
from typing import Any

from cli.handoffs import evidence, lines, rows
from cli.handoffs.saving import new_id, print_told, told
from cli.render import print_json, print_text, say
from cli.wiring import now, read_views
from journal.errors import NotFound, SettingInvalid
from journal.settings import Settings
from projections.handoff_bundles import IS_REMOVED

OF_CHAINS = f"""SELECT handoff_id, chain_id, title FROM handoff_bundles WHERE {{where}} AND NOT {IS_REMOVED} ORDER BY chain_id, saved_at DESC, handoff_id"""


def delete(settings: Settings, asked: argparse.Namespace) -> int:
    """Take handoffs of this project off the lists, by their whole ids."""
    return _removed(settings, asked, "delete", asked.ids)


def undelete(settings: Settings, asked: argparse.Namespace) -> int:
    """Bring deleted or pruned handoffs of this project back, by their whole ids."""
    return _removed(settings, asked, "undelete", asked.ids)


def prune(settings: Settings, asked: argparse.Namespace) -> int:
    """Keep the newest handoffs of each chain of this project, and take the others off the lists."""
    with contextlib.closing(read_views(settings)) as views:
        where, values = rows.scope(views, rows.here())
        chains: dict[str, list[str]] = {}
        for name, chain, _ in views.execute(OF_CHAINS.format(where=where), values):
            chains.setdefault(chain, []).append(name)
    return _removed(settings, asked, "prune", [name for names in chains.values() for name in names[asked.keep :]])


def merge(settings: Settings, asked: argparse.Namespace) -> int:
    """Unite two handoffs of this project in a new one, and show where they do not agree."""
    from projections import handoff_merge, handoff_notes

    with contextlib.closing(read_views(settings)) as views:
        place = rows.here()
        pair = [rows.chosen(views, name, place, foreign=False) for name in (asked.first, asked.second)]
        if pair[0]["handoff_id"] == pair[1]["handoff_id"]:
            raise SettingInvalid("both are the same handoff", hint="name two: journal handoff list")
        older, newer = sorted(pair, key=lambda one: (one["saved_at"] or "", one["handoff_id"]))
        sides = [handoff_merge.Side(one["handoff_id"], rows.statements(views, one["handoff_id"]), rows.anchors(views, one["handoff_id"]))
                 for one in (older, newer)]  # fmt: skip
    merged = handoff_merge.unite(*sides)
    conflicts = merged.conflicts + [{"kind": "handoff", "about": name, older["handoff_id"]: older[name], newer["handoff_id"]: newer[name]}
                                    for name in ("branch", "purpose") if older[name] and newer[name] and older[name] != newer[name]]  # fmt: skip
    notes = _as_notes(merged.statements, asked.title or newer["title"], newer["purpose"] or older["purpose"])
    quality = evidence.quality(notes.title or "", notes, handoff_notes.written(notes), merged.anchors)
    record: dict[str, Any] = {
        **newer, "type": "journal.handoff_bundle", "at": now(), "handoff_id": new_id(), "chain_id": newer["chain_id"], "replaces": newer["handoff_id"],
        "merges": [older["handoff_id"]], "title": notes.title, "purpose": notes.purpose, "dirty": list(dict.fromkeys(older["dirty"] + newer["dirty"])),
        "tags": list(dict.fromkeys(older["tags"] + newer["tags"])), "score": quality.score, "rating": quality.rating, "dimensions": quality.dimensions,
        "warnings": quality.warnings, "statements": merged.statements, "anchors": merged.anchors,
    }  # fmt: skip
    del record["saved_at"]
    if not asked.dry_run:
        lines.put(settings, newer["session_id"], record)
    answer = {**told(record), "merges": [older["handoff_id"], newer["handoff_id"]], "conflicts": conflicts, "dry_run": asked.dry_run}
    if asked.json:
        print_json(answer)
        return 0
    print_told(answer)
    for one in conflicts:
        print_text(f"conflict about {one['about']} ({one['kind']}):")
        for side in (older, newer):
            print_text(f"  {side['handoff_id']}: {one[side['handoff_id']]}")
    if asked.dry_run:
        say("nothing was written; without --dry-run it is")
    return 0


def _removed(settings: Settings, asked: argparse.Namespace, verb: str, names: list[str]) -> int:
    with contextlib.closing(read_views(settings)) as views:
        found = [_exactly(views, name) for name in dict.fromkeys(names)]
    changed = [one for one in found if one["is_removed"] == (verb == "undelete")]
    if changed and not asked.dry_run:
        moment = now()
        lines.append(settings, None, moment[:10], [
            {"type": "journal.handoffs_removed", "at": moment, "verb": verb, "handoff_ids": [one["handoff_id"] for one in changed]}])  # fmt: skip
    answer = [{"handoff_id": one["handoff_id"], "title": one["title"]} for one in changed]
    if asked.json:
        print_json({"verb": verb, "handoffs": answer, "dry_run": asked.dry_run})
        return 0
    said = {"delete": "deleted", "prune": "pruned", "undelete": "brought back"}[verb]
    for one in answer:
        print_text(f"{'would be ' if asked.dry_run else ''}{said}: {one['handoff_id']} {one['title']}")
    if not answer:
        say("nothing to do")
    elif verb != "undelete" and not asked.dry_run:
        say(f"bring back: journal handoff undelete {' '.join(one['handoff_id'] for one in answer[:3])}" + (" …" if answer[3:] else ""))
    return 0


def _exactly(views: sqlite3.Connection, name: str) -> dict[str, Any]:
    """Return the handoff of this project with exactly this id.

    Raises: NotFound: this project has none of that id.
    """
    name = name.encode(errors="replace").decode()
    where, values = rows.scope(views, rows.here())
    row = views.execute(f"SELECT handoff_id, title, {IS_REMOVED} FROM handoff_bundles WHERE handoff_id = ? AND {where}", (name, *values)).fetchone()
    if row is None:
        raise NotFound(f"this project has no handoff with exactly the id {name}", hint="see the ids: journal handoff list")
    return {"handoff_id": row[0], "title": row[1], "is_removed": bool(row[2])}


def _as_notes(statements: list[dict[str, Any]], title: str, purpose: str) -> Any:
    """Return the statements as notes, by which the quality is measured."""
    from projections.handoff_notes import HEADINGS, Item, Notes, Section

    items = {kind: [Item(row["text"], tuple(row["details"])) for row in statements if row["kind"] == kind] for kind in HEADINGS}
    others = [Section(row["text"], "\n".join(row["details"])) for row in statements if row["kind"] == "section"]
    return Notes(title, purpose, items, others, sum(map(bool, items.values())) + len(others) + bool(purpose))
