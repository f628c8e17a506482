"""Commands that put learnings down and judge them: learn, supersede, confirm, retire; each is one line of the inbox."""

import argparse
import contextlib
import os
import secrets
import sqlite3
import sys
import time
from typing import TYPE_CHECKING, Any

from cli import running
from cli.render import print_json, print_text, say
from cli.wiring import IN_PROJECT, bring_up_to_date, current_project, now, read_views, session_by_prefix
from journal.errors import Ambiguous, LogBusy, NotFound, SettingInvalid
from journal.home import Home, open_home
from journal.settings import Settings

if TYPE_CHECKING:
    from ingest.checkout import Checkout
    from projections.learned import Learning

LONGEST_TEXT = 4000
"""Characters of a learning; what is longer is a document."""


def learn(settings: Settings, asked: argparse.Namespace) -> int:
    """Put a learning down; what is known already word by word is confirmed instead. Or suggest some."""
    if asked.suggest or asked.accept:
        return _suggest(settings, asked)
    if asked.text is None:
        raise SettingInvalid("say what was learned", hint='journal learn "the lock is not re-entrant", or: journal learn --suggest')
    return _store(settings, asked, None)


def _suggest(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell what the session seems to have taught; store the ones that are accepted by number.

    Raises: NotFound, SettingInvalid.
    """
    from cli.restoring import newest
    from projections import learned, suggestions

    with contextlib.closing(read_views(settings)) as views:
        asked.session = session_by_prefix(views, asked.session) if asked.session else newest(views)
        known = learned.read(views, None, now(), everything=True)
        every = suggestions.read(views, asked.session)
    texts = {one.text for one in known}
    if wrong := [number for number in asked.accept if number > len(every)]:
        raise SettingInvalid(f"--accept {wrong[0]}: there are {len(every)} suggestions", hint=f"run: journal learn --suggest --session {asked.session}")
    for number in asked.accept:
        chosen_one = every[number - 1]
        given = argparse.Namespace(**{**vars(asked), "text": chosen_one.text, "kind": asked.kind or chosen_one.kind, "json": False})
        _store(settings, given, None, origin="suggestion")
    if asked.accept and not asked.json:
        return 0
    rows = [{"number": number, "kind": one.kind, "text": one.text, "why": one.why, "is_known": one.text in texts} for number, one in enumerate(every, 1)]
    if asked.json:
        print_json({"session_id": asked.session, "suggestions": rows, "accepted": asked.accept})
        return 0
    for row in rows:
        print_text(f"{row['number']}. [{row['kind']}] {row['text']}\n   {row['why']}" + ("; known already" if row["is_known"] else ""))
    say(f"store one: journal learn --session {asked.session} --accept N" if rows else f"session {asked.session} suggests nothing")
    return 0


def supersede(settings: Settings, asked: argparse.Namespace) -> int:
    """Put a learning down in the place of another, which is told no more."""
    with contextlib.closing(read_views(settings)) as views:
        old = chosen(views, asked.learning)
    return _store(settings, asked, old)


def confirm(settings: Settings, asked: argparse.Namespace) -> int:
    """Say that a learning still holds."""
    return _judge(settings, asked.learning, "confirmed", None, as_json=asked.json)


def retire(settings: Settings, asked: argparse.Namespace) -> int:
    """Say that a learning holds no more."""
    return _judge(settings, asked.learning, "retired", asked.reason, as_json=asked.json)


def chosen(views: sqlite3.Connection, prefix: str) -> "Learning":
    """Return the learning whose id begins with *prefix*; `latest` is the newest that holds.

    Raises: NotFound, Ambiguous.
    """
    from projections.learned import read

    if prefix == "latest" and (newest := read(views, None, now(), limit=1)):
        return newest[0]
    found = [one for one in read(views, None, now(), everything=True) if one.learning_id.startswith(prefix)]
    if not found:
        raise NotFound(f"no learning begins with {prefix}", hint="run: journal learnings --all --everything")
    if len(found) > 1 and all(one.learning_id != prefix for one in found):
        raise Ambiguous(f"{prefix} fits several learnings", candidates=[f"{one.learning_id} {one.text[:60]}" for one in found[:20]], hint="give more of the id")
    return next((one for one in found if one.learning_id == prefix), found[0])


def _store(settings: Settings, asked: argparse.Namespace, old: "Learning | None", *, origin: str = "person") -> int:
    """Write the learning down and tell what is like it and what contradicts it.

    Raises: SettingInvalid, NotFound, Ambiguous.
    """
    from ingest import checkout

    text = _text(asked.text)
    here = os.path.realpath(os.getcwd())
    place = checkout.find(here)
    root = old.root if old else place.repository if place else here
    scope = asked.scope or (old.scope if old else "project")
    expires = _expiry(asked.expires)
    anchors = _anchors(asked.anchor, text, place, here)
    moment = now()
    own = None if asked.session else running.session(settings)
    session_id, alike, against = _known(settings, asked, text, root, moment, old)
    session_id = own or session_id
    same = next((one for one, likeness in alike if likeness == 1.0 and one.scope == scope), None)
    if same and not old:
        return _judge(settings, same.learning_id, "confirmed", None, as_json=asked.json, said=f"{same.learning_id} says that already; confirmed")
    name = "l" + secrets.token_hex(5)
    record: dict[str, object] = {
        "type": "journal.learning", "at": moment, "session_id": session_id, "learning_id": name, "kind": asked.kind or (old.kind if old else "solution"),
        "scope": scope, "text": text, "replaces": old.learning_id if old else None, "expires_at": expires, "origin": origin,
        "root": root, "branch": place.branch if place else None, "head": place.head if place else None, "anchors": anchors,
    }  # fmt: skip
    _append(settings, session_id, record)
    answer = {"learning_id": name, "kind": record["kind"], "scope": scope, "text": text, "session_id": session_id, "replaces": record["replaces"],
              "expires_at": expires, "is_new": True, "anchors": [{"locator": row["locator"], "kind": row["kind"]} for row in anchors],
              "duplicates": [{"learning_id": one.learning_id, "text": one.text, "likeness": round(likeness, 2)} for one, likeness in alike],
              "conflicts": [{"learning_id": one.learning_id, "text": one.text, "why": why} for one, why in against]}  # fmt: skip
    if asked.json:
        print_json(answer)
        return 0
    print_text(f"{name}: {record['kind']}, {scope}" + (f", in place of {old.learning_id}" if old else ""))
    for one, _ in alike:
        print_text(f"like {one.learning_id}: {one.text}\n  if it is the same: journal retire {name}")
    for one, why in against:
        print_text(f"conflicts with {one.learning_id} ({why}): {one.text}\n  if the new one is right: journal retire {one.learning_id}")
    return 0


def _judge(settings: Settings, prefix: str, verdict: str, reason: str | None, *, as_json: bool, said: str = "") -> int:
    with contextlib.closing(read_views(settings)) as views:
        learning = chosen(views, prefix)
    record: dict[str, object] = {"type": "journal.learning_judged", "at": now(), "session_id": learning.session_id, "learning_id": learning.learning_id,
                                 "verdict": verdict, "reason": reason}  # fmt: skip
    _append(settings, learning.session_id, record)
    if as_json:
        print_json({"learning_id": learning.learning_id, "verdict": verdict, "text": learning.text, "is_new": False})
    else:
        print_text(said or f"{learning.learning_id} is {verdict}: {learning.text}")
    return 0


def _append(settings: Settings, session_id: str | None, record: dict[str, object]) -> None:
    from journal import inbox

    inbox.append(open_home(settings.home), session_id, str(record["at"])[:10], record)
    try:
        bring_up_to_date(settings, [])
    except LogBusy:
        say("another process is ingesting; it is written down, and the views have it after the next: journal ingest")


def _known(
    settings: Settings, asked: argparse.Namespace, text: str, root: str | None, moment: str, old: "Learning | None"
) -> tuple[str | None, list[tuple["Learning", float]], list[tuple["Learning", str]]]:
    """Return the session that the learning comes from, what says the same and what contradicts it, as far as there are views."""
    if not os.path.exists(Home(settings.home).views_db):
        if asked.session:
            raise NotFound("the journal holds nothing yet", hint="run: journal ingest")
        return None, [], []
    from projections import learned

    with contextlib.closing(read_views(settings)) as views:
        try:
            session_id = session_by_prefix(views, asked.session) if asked.session else _newest(views)
            alike = [pair for pair in learned.duplicates(views, text, root, moment) if not old or pair[0].learning_id != old.learning_id]
            return session_id, alike, learned.conflicts(views, text, root, moment, but=old.learning_id if old else "")
        except sqlite3.OperationalError:  # views of an earlier version: the next ingest builds them again
            return None, [], []


def _newest(views: sqlite3.Connection) -> str | None:
    row = views.execute(
        f"SELECT session_id FROM sessions WHERE {IN_PROJECT} AND kind = 'interactive' AND last_at IS NOT NULL ORDER BY last_at DESC LIMIT 1",
        {"project": current_project(views)},
    ).fetchone()
    return row[0] if row else None


def _text(given: str) -> str:
    text = (sys.stdin.read(LONGEST_TEXT * 4 + 1) if given == "-" else given).encode(errors="replace").decode().strip()
    if not text:
        raise SettingInvalid("there is nothing to learn in an empty text", hint='journal learn "the lock is not re-entrant"')
    if len(text) > LONGEST_TEXT:
        raise SettingInvalid(f"the text has {len(text)} characters, more than {LONGEST_TEXT}", hint="put down one thing at a time, or save a handoff")
    return text


def _expiry(word: str | None) -> str | None:
    """Return the moment that a learning ends at.

    Raises: SettingInvalid: it is none, or has passed.
    """
    from journal import zones
    from journal.moments import written

    if word is None:
        return None
    hint = "write it like 30d, 12h, 2w, or 2027-01-31"
    try:
        if word[:-1].isascii() and word[:-1].isdigit() and word[-1] in zones.UNITS_S:
            moment = written(time.time() + int(word[:-1]) * zones.UNITS_S[word[-1]])
        else:
            moment = zones.moment_of(word, zones.zone(None, os.environ), int(time.time()), end=True)
    except (ValueError, OverflowError, OSError) as error:
        raise SettingInvalid(f"--expires {word}: no point in time", hint=hint) from error
    if moment <= now():
        raise SettingInvalid(f"--expires {word}: that has passed", hint=hint)
    return moment


def _anchors(given: list[str], text: str, place: "Checkout | None", here: str) -> list[dict[str, Any]]:
    """Return the places that were named, and those in the text that exist, as they stand now.

    Raises: SettingInvalid: a place that was named is not there.
    """
    from cli.handoffs.evidence import anchors_of
    from ingest.anchoring import Files, Git
    from projections import anchors as words

    files, git = Files(place.root if place else here), Git(place.root) if place else None
    named = [locator for word in given for locator in words.of_detail(f"`{word}`")]
    told = [locator for locator in words.of_text(text) if locator.raw not in given]
    commits = sorted({locator.path for locator in [*named, *told] if locator.kind == "commit"})
    known = git.commits(commits) if git and commits else set() if git else None
    rows = anchors_of("", named, files, here, known)
    for word in given:
        row = next((row for row in rows if row["locator"] == word.strip("`").removeprefix("$ ")), None)
        if row is None or row["reason"]:
            why = row["reason"] if row else "it names no file, line, symbol, commit or URL that is there"
            raise SettingInvalid(f"--anchor {word}: {why}", hint="name a place of this project, such as calc.py:4-6 or calc.py::add")
    rows += [row for row in anchors_of("", told, files, here, known) if not row["reason"]]
    return [{key: value for key, value in row.items() if key != "statement"} for row in rows]
