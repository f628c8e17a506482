"""Checks of the views: do they stand for this log, and what did they not understand."""

from cli.amounts import counted
from cli.checks import Finding, Outcome, Scene


def fit(scene: Scene) -> Outcome:
    """The views are of this log, this program and its last event."""
    from cli.wiring import decoders
    from journal.lock import is_writing
    from journal.reader import head
    from projections import checkpoint
    from projections.catalog import in_force

    known, end = checkpoint.read(scene.views), head(scene.log)
    if known is None:
        finding = Finding("views", "error", "the views are empty", "views.db has no checkpoint", "journal replay")
        return Outcome("the checkpoint in views.db", (finding,))
    fresh = checkpoint.Checkpoint(end.log_id, 0, "", checkpoint.versions_text(decoders()[1]), checkpoint.projections_text(in_force(scene.settings.views)))
    looked_at = f"the checkpoint at {known.position} against the log's end at {end.position}: log id, hash, versions of decoders and projections"
    if not checkpoint.fits(known, scene.log, fresh):
        parts = [name for name, old, new in (
            ("another log", known.log_id, fresh.log_id), ("another history", known.hash, checkpoint.hash_at(scene.log, known.position)),
            ("other decoders", known.decoder_versions, fresh.decoder_versions),
            ("other projections", known.projection_versions, fresh.projection_versions)) if old != new]  # fmt: skip
        what = "the views are not of this log and this program; the next ingest or replay builds them again"
        return Outcome(looked_at, (Finding("views", "warning", what, ", ".join(parts), "journal replay"),))
    if known.position < end.position and not is_writing(scene.home):
        evidence = f"{counted(end.position - known.position, 'event')}, and nothing is writing"
        return Outcome(looked_at, (Finding("views", "warning", "the views lag behind the log", evidence, "journal ingest"),))
    return Outcome(looked_at)


def projection_errors(scene: Scene) -> Outcome:
    """Every record of the log was taken by a decoder and by the projections."""
    count = scene.views.execute("SELECT count(*) FROM damaged_records").fetchone()[0]
    rows = scene.views.execute(
        "SELECT host, damage, count(*), min(global_position) FROM damaged_records WHERE damage LIKE 'not decoded:%' OR damage LIKE 'not projected:%'"
        " GROUP BY 1, 2 ORDER BY 1, 2"
    ).fetchall()
    findings = tuple(
        Finding("projection_errors", "error", f"{host}: this program could not take {counted(number, 'record')} that the log has whole",
                f"{damage}, first at position {position}", "journal replay")
        for host, damage, number, position in rows
    )  # fmt: skip
    return Outcome(f"{counted(count, 'record')} in damaged_records", findings)


def unknown_kinds(scene: Scene) -> Outcome:
    """Every kind of record is known."""
    rows = scene.views.execute("SELECT host, kind, count(*), max(occurred_at) FROM unknown_records GROUP BY 1, 2 ORDER BY 3 DESC").fetchall()
    hosts = sorted({row[0] for row in rows})
    strangers = scene.views.execute(
        "SELECT host, path, lines FROM source_report WHERE lines > 0 AND damaged + unknown >= lines AND unknown > 0 AND host <> 'journal' ORDER BY 1, 2"
    ).fetchall()
    findings = tuple(
        Finding("unknown_kinds", "error", f"{host}: {path} is not empty and holds no known record",
                f"none of {counted(lines, 'line')} is of this host's grammar", "journal status")
        for host, path, lines in strangers
    )  # fmt: skip
    findings += tuple(
        Finding("unknown_kinds", "warning", f"{host}: records of unknown kinds are in the log and in no view",
                "; ".join(f"{kind} {counted(number, 'time')}, last {at}" for name, kind, number, at in rows if name == host)[:500], "journal status")
        for host in hosts
    )  # fmt: skip
    return Outcome(f"{counted(sum(row[2] for row in rows), 'record')} in unknown_records", findings)
