"""Checks of the hosts' files against the log: is everything read, what will be deleted, what was lost, what is too new."""

import os
from datetime import datetime

from cli.amounts import counted, sized
from cli.checks import Finding, Outcome, Scene, age_days, day
from cli.survey import Transcript

LATE_MINUTES = 15
"""A file that changed and was not read for this long is late; nothing that works as it should takes longer than seconds."""
RISK_DAYS = 7
"""A file that its host deletes within so many days is at risk."""
SHOWN = 5


def freshness(scene: Scene) -> Outcome:
    """What the hosts wrote is in the log."""
    survey = scene.survey
    findings = []
    for host in sorted({host for host, _, _ in survey.roots} | {file.host for file in survey.files}):
        files = [file for file in survey.files if file.host == host]
        read_at = max((file.read_at for file in files if file.read_at), default=None)
        late = [file for file in files if file.is_behind and _is_late(scene, file, read_at)]
        if late:
            newest = max(late, key=lambda file: file.modified)
            waiting = f"{counted(len(late), 'file')}, {sized(sum(file.waiting_bytes for file in late))}"
            evidence = (f"{waiting}; the newest, {newest.path}, changed at {day(newest.modified)};"
                        f" the last of this host was read at {read_at or 'no time'}")  # fmt: skip
            findings.append(Finding("freshness", "error", f"{host}: files changed and were not read for more than {LATE_MINUTES} minutes",
                                    evidence, "journal ingest"))  # fmt: skip
    if not any(file.host != "journal" for file in survey.files):
        findings.append(Finding("freshness", "info", "no transcript of any host was found", _seen(scene), "journal ingest"))
    findings += [Finding("freshness", "warning", "a folder or file could not be looked at", fault, "journal ingest") for fault in survey.faults]
    return Outcome(_seen(scene), tuple(findings))


def _is_late(scene: Scene, file: Transcript, host_read_at: str | None) -> bool:
    """Tell whether *file* waited too long, or changed that long after it was last read (a file that grows is always young)."""
    read_at = file.read_at or host_read_at
    unread = file.modified - datetime.fromisoformat(read_at).timestamp() if read_at else 0.0
    return max(unread, scene.moment.timestamp() - file.modified) > LATE_MINUTES * 60


def _seen(scene: Scene) -> str:
    """Say per host what was found, also where that is nothing."""
    parts = []
    for host, root, could in scene.survey.roots:
        files = [file for file in scene.survey.files if file.host == host and file.path.startswith(root)]
        newest = max((file.modified for file in files), default=None)
        count = counted(len(files), "file") + (f", newest {day(newest)}" if newest else "")
        parts.append(f"{host}: {root} ({count if could else 'unreadable' if os.path.lexists(root) else 'absent'})")
    elsewhere = sum(not any(file.host == host and file.path.startswith(root) for host, root, _ in scene.survey.roots) for file in scene.survey.files)
    return "; ".join([*parts, *([f"{counted(elsewhere, 'file')} elsewhere that the log knows"] if elsewhere else [])])


def retention(scene: Scene) -> Outcome:
    """Nothing that a host is about to delete is missing from the log."""
    from ingest.clients import CLIENTS
    from ingest.clients import retention as retention_of
    from journal.errors import SourceError

    findings, seen = [], []
    for host, root, could in scene.survey.roots:
        if host not in CLIENTS or not could:
            continue
        try:
            days, because = retention_of(host, root)
        except (OSError, SourceError) as error:
            findings.append(Finding("retention", "warning", f"{host}: nobody knows when it deletes transcripts", str(error), "journal ingest"))
            continue
        files = [file for file in scene.survey.files if file.host == host and file.path.startswith(root)]
        oldest = min((file.modified for file in files), default=None)
        unread = min((file for file in files if file.is_behind), key=lambda file: file.modified, default=None)
        seen.append(f"{host}: " + (f"{because}, deletes after {days:g} days" if days is not None else because)
                    + (f"; oldest file {day(oldest)}" if oldest else "; no files"))  # fmt: skip
        if days is not None and unread is not None and age_days(scene, unread.modified) > days - RISK_DAYS:
            evidence = f"{unread.path} of {day(unread.modified)}, {because} ({days:g} days)"
            findings.append(Finding("retention", "error", f"{host}: a file that is about to be deleted is not in the log", evidence, "journal ingest"))
        if days is not None and days < 1:
            findings.append(Finding("retention", "warning", f"{host} keeps transcripts for less than a day: only a running watcher sees them",
                                    because, "journal watch"))  # fmt: skip
    return Outcome("; ".join(seen) or "no host's home could be read", tuple(findings))


def lost(scene: Scene) -> Outcome:
    """No file vanished before its last byte was read."""
    count = scene.log.execute("SELECT count(*) FROM sources WHERE state = 'gone'").fetchone()[0]
    rows = scene.log.execute(
        "SELECT s.host, s.path, s.size - coalesce(o.offset_bytes, 0), s.changed_at FROM sources AS s LEFT JOIN offsets AS o USING (source_id)"
        " WHERE s.state = 'gone' AND s.size > coalesce(o.offset_bytes, 0) ORDER BY s.changed_at DESC"
    ).fetchall()
    findings = [Finding("lost", "warning", f"{host}: a file vanished before its last bytes were read (most often an unfinished line)",
                        f"{path}: {counted(missing, 'byte')}, gone by {changed_at}", None) for host, path, missing, changed_at in rows]  # fmt: skip
    unnoticed = scene.survey.absent
    if unnoticed:
        what = f"gone, and live to the log until the next ingest: {counted(len(unnoticed), 'file')}; what was read stays"
        findings.append(Finding("lost", "info", what, ", ".join(row.path for row in unnoticed[:SHOWN]), "journal ingest"))
    return Outcome(f"{counted(count, 'source')} gone, and whether the others are there", tuple(findings))


def client_versions(scene: Scene) -> Outcome:
    """No client is newer than what was tested."""
    from ingest.clients import CLIENTS, is_newer

    found: dict[str, set[str]] = {}
    for host, version in scene.views.execute("SELECT DISTINCT host, client_version FROM sessions WHERE client_version IS NOT NULL"):
        found.setdefault(host, set()).add(version)
    findings = []
    for host, versions in sorted(found.items()):
        if newer := sorted(version for version in versions if host in CLIENTS and is_newer(version, CLIENTS[host].tested)):
            what = f"{host} is newer than the version that was tested ({CLIENTS[host].tested}): unknown kinds may be more than they seem"
            findings.append(Finding("client_versions", "info", what, ", ".join(newer[-SHOWN:]), "journal status"))
    told = [f"{host}: {', '.join(sorted(found[host])[-SHOWN:])} in the sessions" if host in found else f"{host}: none told in the sessions" for host in CLIENTS]
    return Outcome("; ".join(told), tuple(findings))
