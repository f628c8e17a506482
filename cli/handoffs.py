"""`journal handoff save`: notes become one line of the inbox, with the evidence as it stands in the checkout now."""

import argparse
import contextlib
import os
import secrets
import sys
from typing import TYPE_CHECKING, Any

from cli.render import print_json, print_table, print_text, say
from cli.wiring import IN_PROJECT, bring_up_to_date, current_project, now, read_views, session_by_prefix
from journal.errors import LogBusy, NotFound, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings

if TYPE_CHECKING:
    from ingest.anchoring import Files, Git
    from ingest.checkout import Checkout
    from projections.handoff_notes import Notes

LARGEST_NOTES_BYTES = 1024 * 1024
LARGEST_RECORD_BYTES = 250_000
"""A longer line of the inbox would have its strings cut."""
MOST_DIRTY = 200
LETTERS = {"finding": "F", "recommendation": "R", "question": "Q", "move": "M", "evidence": "E"}


def save(settings: Settings, asked: argparse.Namespace) -> int:
    """Put a handoff down, and say how good it is and which evidence was refused."""
    from ingest import checkout
    from ingest.anchoring import Files, Git
    from ingest.observation import observe
    from journal import inbox
    from journal.jsontext import dumps

    here = os.path.realpath(os.getcwd())
    place = checkout.find(here)
    session_id, replaced = _known(settings, asked, place)
    text = _notes(settings, asked, session_id)
    from projections import handoff_notes

    notes = handoff_notes.read(text)
    git = Git(place.root) if place else None
    statements, anchors, refused = _resolved(notes, Files(place.root if place else here), here, git)
    title = asked.title or notes.title or (notes.items["finding"][0].text[:80] if notes.items["finding"] else "") or "untitled"
    quality = _quality(title, notes, text, anchors)
    moment, name = now(), "h" + secrets.token_hex(6)
    seen = observe(here)
    record: dict[str, object] = {
        "type": "journal.handoff_bundle", "at": moment, "session_id": session_id, "handoff_id": name,
        "chain_id": replaced["chain_id"] if replaced else name, "replaces": replaced["handoff_id"] if replaced else None, "title": title,
        "purpose": notes.purpose, "root": place.repository if place else here, "root_commit": seen["root_commit"], "remote": seen["remote"],
        "branch": place.branch if place else None, "head": place.head if place else None, "dirty": ((git and git.dirty()) or [])[:MOST_DIRTY],
        "tags": asked.tag, "score": quality.score, "rating": quality.rating, "dimensions": quality.dimensions, "warnings": quality.warnings,
        "statements": statements, "anchors": anchors,
    }  # fmt: skip
    if len(dumps(record).encode("utf-8", "replace")) > LARGEST_RECORD_BYTES:
        raise SettingInvalid(f"the handoff has {len(dumps(record)) // 1000} kB, more than {LARGEST_RECORD_BYTES // 1000}", hint="save it in parts")
    inbox.append(open_home(settings.home), session_id, moment[:10], record)
    try:
        bring_up_to_date(settings, [])
    except LogBusy:
        say("another process is ingesting; the handoff is written down, and the views have it after the next: journal ingest")
    told = [{"locator": row["locator"], "kind": row["kind"], "status": "n/a" if row["reason"] or row["kind"] in ("url", "command") else "verified",
             "reason": row["reason"]} for row in anchors]  # fmt: skip
    sections = [section.heading for section in notes.others]
    warnings = [*quality.warnings, *(f"the section `{heading}` is kept as it is; its heading has no meaning here" for heading in sections if heading)]
    answer = {"handoff_id": name, "title": title, "session_id": session_id, "replaces": record["replaces"], "quality": quality.rating, "score": quality.score,
              "dimensions": quality.dimensions, "warnings": warnings, "findings": len(notes.items["finding"]), "anchors": told,
              "sections": sections}  # fmt: skip
    if asked.json:
        print_json(answer)
        return 0
    print_text(f"{name}: {title}\n{len(notes.items['finding'])} findings, {sum(one['status'] == 'verified' for one in told)} of {len(told)} anchors verified")
    for row in refused:
        print_text(f"refused: {row['locator']}: {row['reason']}")
    print_text(f"quality: {quality.rating} ({quality.score:.2f})" + (", to fix first:" if warnings else ""))
    for warning in warnings:
        print_text(f"- {warning}")
    if not asked.notes:
        print_table(("dimension", "value"), list(quality.dimensions.items()))
    return 0


def _known(settings: Settings, asked: argparse.Namespace, place: "Checkout | None") -> tuple[str | None, dict[str, Any] | None]:
    """Return the session that the handoff comes from and the one it replaces, as far as there are views.

    Raises: NotFound, Ambiguous.
    """
    if not os.path.exists(Home(settings.home).views_db):
        if asked.session or asked.update:
            raise NotFound("the journal holds nothing yet", hint="run: journal ingest")
        return None, None
    from cli.handoff_reading import chosen

    with contextlib.closing(read_views(settings)) as views:
        replaced = chosen(views, asked.update, place, foreign=False) if asked.update else None
        if asked.session:
            return session_by_prefix(views, asked.session), replaced
        row = views.execute(
            f"SELECT session_id FROM sessions WHERE {IN_PROJECT} AND kind = 'interactive' AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
            {"project": current_project(views)},
        ).fetchone()
    return row[0] if row else None, replaced


def _notes(settings: Settings, asked: argparse.Namespace, session_id: str | None) -> str:
    """Return the notes: of a file, of standard input, or what the log knows of the session.

    Raises: NotFound, SettingInvalid.
    """
    if asked.notes is None:
        return _from_log(settings, session_id)
    if asked.notes == "-":
        data = sys.stdin.buffer.read(LARGEST_NOTES_BYTES + 1)
    else:
        try:
            with open(asked.notes, "rb") as file:
                data = file.read(LARGEST_NOTES_BYTES + 1)
        except OSError as error:
            raise NotFound(f"--notes {asked.notes}: {error.strerror}", hint="name a Markdown file, or - for standard input") from error
    if len(data) > LARGEST_NOTES_BYTES:
        raise SettingInvalid(f"--notes {asked.notes}: longer than 1 MiB", hint="save it in parts")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingInvalid(f"--notes {asked.notes}: no UTF-8 at byte {error.start}", hint="write the notes in UTF-8") from error
    if not text.strip():
        raise SettingInvalid(f"--notes {asked.notes}: nothing in it", hint="write `## Findings`, `## Open questions` and `## Next moves`")
    return text.replace("\r\n", "\n")


def _from_log(settings: Settings, session_id: str | None) -> str:
    """Return notes made of what a later session would be told of this one.

    Raises: NotFound: there is no session.
    """
    from journal import jsontext

    if session_id is None:
        raise NotFound("this folder's project has no session to build a handoff from", hint="write notes: journal handoff save --notes FILE")
    with contextlib.closing(read_views(settings)) as views:
        row = views.execute("SELECT title, parts FROM restore_cards WHERE session_id = ?", (session_id,)).fetchone()
    parts = jsontext.loads(row[1]) if row else []
    pairs = [(str(kind), " ".join(str(said).split())) for kind, said in parts] if isinstance(parts, list) else []
    headings = (("Findings", ("decision", "failure", "figure")), ("Open questions", ("open",)), ("Next moves", ("todo",)),
                ("Files", ("file",)), ("Prompts", ("wish", "prompt")))  # fmt: skip
    blocks = [f"# {' '.join((row[0] if row and row[0] else f'Session {session_id[:13]}').split())}"]
    for heading, kinds in headings:
        lines = [f"- {said}" for kind in kinds for found, said in pairs if found == kind]
        blocks += [f"## {heading}", "\n".join(lines)] if lines else []
    return "\n\n".join(blocks) + "\n"


def _resolved(notes: "Notes", files: "Files", here: str, git: "Git | None") -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return statements, anchors and those that were refused; one git process knows all commits."""
    from projections import anchors as words

    statements: list[dict[str, Any]] = []
    named: list[tuple[str, list[words.Locator]]] = []
    for kind, letter in LETTERS.items():
        for number, item in enumerate(notes.items[kind], 1):
            statements.append({"id": f"{letter}{number}", "kind": kind, "text": item.text, "details": list(item.details)})
            found = words.of_detail(item.text) if kind == "evidence" else words.of_text(item.text)
            found += [locator for detail in item.details for locator in words.of_detail(detail)]
            named.append((f"{letter}{number}", list(dict.fromkeys(found))))
    statements += [{"id": f"S{number}", "kind": "section", "text": section.heading, "details": [section.text]}
                   for number, section in enumerate(notes.others, 1)]  # fmt: skip
    commits = sorted({locator.path for _, found in named for locator in found if locator.kind == "commit"})
    known = git.commits(commits) if git else set()
    rows = [row for name, found in named for row in anchors_of(name, found, files, here, known if git else None)]
    return statements, rows, [row for row in rows if row["reason"]]


def anchors_of(name: str, found: list[Any], files: "Files", here: str, known: set[str] | None) -> list[dict[str, Any]]:
    """Return the anchors of one statement; what may be no locator counts only where it exists."""
    from ingest.anchoring import resolve

    rows: list[dict[str, Any]] = []
    for locator in found:
        row: dict[str, Any] = {"statement": name, "locator": locator.raw, "kind": locator.kind, "path": locator.path, "start": None, "end": None,
                               "symbol": locator.symbol, "reason": None, "shape": None}  # fmt: skip
        if locator.kind == "commit":
            if known is None or locator.path not in known:
                if not locator.is_certain:
                    continue
                row["reason"] = "git has no such commit" if known is not None else "there is no git here"
        elif locator.kind == "file":
            there = resolve(files, here, locator.path, locator.start, locator.end, locator.symbol)
            if there.reason and not locator.is_certain and (there.kind == "file" and there.start == locator.start):
                continue
            row |= {"kind": there.kind, "path": there.path, "start": there.start, "end": there.end, "reason": there.reason, "shape": there.shape}
        rows.append(row)
    good = [row["locator"] for row in rows if not row["reason"]]
    return [row for row in rows if not row["reason"] or not any(row["locator"] != other and row["locator"] in other for other in good)]


def _quality(title: str, notes: "Notes", text: str, anchors: list[dict[str, Any]]) -> Any:
    from projections import handoff_quality

    verified = [row for row in anchors if not row["reason"] and row["kind"] not in ("url", "command", "folder")]
    findings = notes.items["finding"]
    said = handoff_quality.Measured(
        title, notes.purpose, [" ".join([item.text, *item.details]) for item in findings],
        [sum(row["statement"] == f"F{number}" for row in verified) for number in range(1, len(findings) + 1)],
        len({(row["kind"], row["path"], row["start"], row["end"]) for row in verified}),
        [row["locator"] for row in anchors if row["reason"]], len({row["path"] for row in verified if row["kind"] != "commit"}),
        [item.text for item in notes.items["question"]], [item.text for item in notes.items["move"]], text, notes.headings,
    )  # fmt: skip
    return handoff_quality.measure(said)
