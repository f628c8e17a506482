"""`journal handoff save`: notes become one line of the inbox, with the evidence as it stands in the checkout now."""

import argparse
import contextlib
import os
import secrets
import sys
from typing import TYPE_CHECKING, Any

from cli.amounts import counted
from cli.handoffs import evidence
from cli.handoffs import lines as handoff_lines
from cli.render import print_json, print_table, print_text
from cli.wiring import IN_PROJECT, current_project, now, read_views, session_by_prefix
from journal.errors import NotFound, SettingInvalid
from journal.home import Home
from journal.settings import Settings

if TYPE_CHECKING:
    from ingest.anchoring import Git
    from ingest.checkout import Checkout
    from projections.handoff_notes import Notes

LARGEST_NOTES_BYTES = 1024 * 1024
MOST_DIRTY = 200
OBSERVED = "SELECT root_commit, remote FROM project_observations WHERE root = ?1 AND root_commit IS NOT NULL"
SAVED = "SELECT root_commit, remote FROM handoff_bundles WHERE root = ?1 AND root_commit IS NOT NULL"


def save(settings: Settings, asked: argparse.Namespace) -> int:
    """Put a handoff down, and say how good it is and which evidence was refused."""
    from ingest import checkout

    here = os.path.realpath(os.getcwd())
    place = checkout.find(here)
    session_id, replaced = _known(settings, asked, place)
    notes, text, git = _notes(settings, asked, session_id, place)
    record, refused = _record(settings, asked, notes, text, place, git)
    record |= {"session_id": session_id, "chain_id": replaced["chain_id"] if replaced else record["handoff_id"],
               "replaces": replaced["handoff_id"] if replaced else None}  # fmt: skip
    if replaced:
        record |= {"title": record["title"] if asked.title else replaced["title"], "tags": asked.tag or replaced["tags"]}
    lines = handoff_lines.put(settings, session_id, record)
    sections = [section.heading for section in notes.others]
    answer = told(record) | {"session_id": session_id, "replaces": record["replaces"], "sections": sections, "lines": lines}
    answer["warnings"] += [f"the section `{heading}` is kept as it is; its heading has no meaning here" for heading in sections if heading and asked.notes]
    if asked.json:
        print_json(answer)
        return 0
    print_told(answer)
    for row in refused:
        print_text(f"refused: {row['locator']}: {row['reason']}")
    if lines > 1:
        print_text(f"it is large: the inbox has it in {lines} lines")
    if not asked.notes:
        print_table(("dimension", "value"), list(record["dimensions"].items()))
    return 0


def told(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a command answers about a handoff that it put down."""
    anchors = [{"locator": row["locator"], "kind": row["kind"], "reason": row["reason"],
                "status": "n/a" if row["reason"] or row["kind"] in ("url", "command") else "verified"} for row in record["anchors"]]  # fmt: skip
    return {"handoff_id": record["handoff_id"], "title": record["title"], "quality": record["rating"], "score": record["score"],
            "dimensions": record["dimensions"], "warnings": list(record["warnings"]),
            "findings": sum(row["kind"] == "finding" for row in record["statements"]), "anchors": anchors}  # fmt: skip


def judged(dimensions: dict[str, float]) -> str:
    """Return what the score is made of, the best first."""
    best = sorted(dimensions.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name.replace('_', ' ')} {value:.2f}" for name, value in best)


def print_told(answer: dict[str, Any]) -> None:
    """Print what `told` returned."""
    verified = sum(one["status"] == "verified" for one in answer["anchors"])
    findings = counted(answer["findings"], "finding")
    print_text(f"{answer['handoff_id']}: {answer['title']}\n{findings}, {verified} of {counted(len(answer['anchors']), 'anchor')} verified")
    print_text(f"quality: {answer['quality']} ({answer['score']:.2f}), of {judged(answer['dimensions'])}" + ("; to fix first:" if answer["warnings"] else ""))
    for warning in answer["warnings"]:
        print_text(f"- {warning}")


def _record(
    settings: Settings, asked: argparse.Namespace, notes: "Notes", text: str, place: "Checkout | None", git: "Git | None"
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the line of the inbox, and the anchors that were refused."""
    from ingest import test_results
    from ingest.anchoring import Files

    here = os.path.realpath(os.getcwd())
    statements, anchors, refused = evidence.resolved(notes, Files(place.root if place else here), here, git)
    title = asked.title or notes.title or (notes.items["finding"][0].text[:80] if notes.items["finding"] else "") or "untitled"
    quality = evidence.quality(title, notes, text, anchors)
    seen = _identity(settings, place, here)
    record = {
        "type": "journal.handoff_bundle", "at": now(), "handoff_id": new_id(), "title": title,
        "purpose": notes.purpose, "root": place.repository if place else here, "root_commit": seen["root_commit"], "remote": seen["remote"],
        "branch": place.branch if place else None, "head": place.head if place else None, "dirty": _dirty(git, asked.notes),
        "tags": asked.tag, "score": quality.score, "rating": quality.rating, "dimensions": quality.dimensions, "warnings": quality.warnings,
        "facts": {"tests": test_results.read(place.root if place else here)}, "statements": statements, "anchors": anchors,
    }  # fmt: skip
    return record, refused


def _has_views(settings: Settings) -> bool:
    """Tell whether there are views to read; a file that another process is about to fill for the first time has no tables yet."""
    if not os.path.exists(Home(settings.home).views_db):
        return False
    with contextlib.closing(read_views(settings)) as views:
        return views.execute("SELECT 1 FROM sqlite_master WHERE name = 'handoff_bundles'").fetchone() is not None


def _identity(settings: Settings, place: "Checkout | None", here: str) -> dict[str, Any]:
    """Return first commit and remote of the repository: as they were observed, else by asking git."""
    from ingest.observation import observe

    if place and _has_views(settings):
        with contextlib.closing(read_views(settings)) as views:
            row = views.execute(f"{OBSERVED} UNION ALL {SAVED} LIMIT 1", (place.repository,)).fetchone()
        if row:
            return {"root_commit": row[0], "remote": row[1]}
    return observe(here)


def _dirty(git: "Git | None", notes: str | None) -> list[str]:
    """Return the files with uncommitted changes; the notes themselves are none of the work."""
    own = os.path.relpath(os.path.realpath(notes), git.root) if git and notes and notes != "-" else None
    return [path for path in (git and git.dirty()) or [] if path != own][:MOST_DIRTY]


def new_id() -> str:
    """Return the id of a new handoff."""
    return "h" + secrets.token_hex(6)


def _known(settings: Settings, asked: argparse.Namespace, place: "Checkout | None") -> tuple[str | None, dict[str, Any] | None]:
    """Return the session that the handoff comes from and the one it replaces, as far as there are views.

    Raises: NotFound, Ambiguous.
    """
    if not _has_views(settings):
        if asked.session or asked.update:
            raise NotFound("the journal holds nothing yet", hint="run: journal ingest")
        return None, None
    from cli import running
    from cli.handoffs.rows import chosen

    own = None if asked.session else running.session(settings)
    with contextlib.closing(read_views(settings)) as views:
        replaced = chosen(views, asked.update, place, foreign=False) if asked.update else None
        if asked.session:
            return session_by_prefix(views, asked.session), replaced
        if own:
            return own, replaced
        row = views.execute(
            f"SELECT session_id FROM sessions WHERE {IN_PROJECT} AND kind = 'interactive' AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
            {"project": current_project(views)},
        ).fetchone()
    return row[0] if row else None, replaced


def _notes(
    settings: Settings, asked: argparse.Namespace, session_id: str | None, place: "Checkout | None"
) -> tuple["Notes", str, "Git | None"]:
    """Return the notes, as Markdown too: of a file, of standard input, or what the log and the repository know of the session.

    Raises: NotFound, SettingInvalid.
    """
    from ingest.anchoring import Git
    from projections import handoff_notes

    git = Git(place.root) if place else None
    if asked.notes is None:
        from cli.handoffs import draft

        notes = draft.of(settings, session_id, place, git)
        return notes, handoff_notes.written(notes), git
    text = read_notes(asked.notes)
    return handoff_notes.read(text), text, git


def read_notes(name: str) -> str:
    """Return the text of a notes file, `-` for standard input.

    Raises: NotFound, SettingInvalid.
    """
    if name == "-":
        data = sys.stdin.buffer.read(LARGEST_NOTES_BYTES + 1)
    else:
        try:
            with open(name, "rb") as file:
                data = file.read(LARGEST_NOTES_BYTES + 1)
        except OSError as error:
            raise NotFound(f"--notes {name}: {error.strerror}", hint="name a Markdown file, or - for standard input") from error
    if len(data) > LARGEST_NOTES_BYTES:
        raise SettingInvalid(f"--notes {name}: longer than 1 MiB", hint="save it in parts")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingInvalid(f"--notes {name}: no UTF-8 at byte {error.start}", hint="write the notes in UTF-8") from error
    if not text.strip():
        raise SettingInvalid(f"--notes {name}: nothing in it", hint="write `## Findings`, `## Open questions` and `## Next moves`")
    return text.replace("\r\n", "\n")
