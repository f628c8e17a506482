"""The check of the hooks: are those that `journal install` wrote whole, and did the host really run them in its newest session?"""

import os
import shlex

from cli.checks import Finding, Outcome, Scene, day

NEWEST = """SELECT s.session_id, s.started_at, s.last_at FROM sessions AS s WHERE s.host = ? AND s.kind = 'interactive' AND s.started_at IS NOT NULL
ORDER BY s.last_at DESC LIMIT 1"""
LAST_RUN = "SELECT max(occurred_at) FROM hook_events WHERE host = ?"
RAN = "SELECT 1 FROM hook_events WHERE session_id = ? LIMIT 1"


def run_lately(scene: Scene) -> Outcome:
    """Our hooks are whole where they were installed, and the newest session of each such host ran them."""
    from ingest.facts import HOSTS
    from ingest.install import conditions, installation, manifest, trust

    known = manifest.load(scene.home)
    request = installation.Request(scene.home, dict(os.environ), "", is_dry=True)
    looked_at, findings = [], []
    for host in HOSTS:
        facts = installation.facts_of(host)
        path = installation.config_path(facts, request)
        last = scene.views.execute(LAST_RUN, (host,)).fetchone()[0]
        if not conditions.has_handlers(path, known):
            looked_at.append(f"{host}: no hooks in {path}" + (f", some ran at {last}" if last else ""))
            if path in known.files:
                what = f"{host}: the hooks that were installed are gone, or their file does not parse"
                findings.append(Finding("hooks", "warning", what, path, f"journal install --host {host}"))
            continue
        looked_at.append(f"{host}: {path}, " + (f"last run at {last}" if last else "not run yet"))
        commands = _commands(path, known.programs)
        if gone := sorted({program for command in commands if (program := _absent_program(command))}):
            what = f"{host}: the hooks run a program that is not there any more"
            findings.append(Finding("hooks", "error", what, f"{path} names {', '.join(gone)}", f"journal install --host {host}"))
        if missing := sorted(role for role in facts.events if not any(f" hook {role}" in command for command in commands)):
            what = f"{host}: some of the hooks are gone"
            findings.append(Finding("hooks", "warning", what, f"{path} has none for {', '.join(missing)}", f"journal install --host {host}"))
        findings += [Finding("hooks", "warning", f"{host}: something keeps hooks from running, or runs them twice", told, None)
                     for told in conditions.warnings(facts, os.path.abspath(facts.home_of(dict(os.environ))), path, known)]  # fmt: skip
        findings += [Finding("hooks", "warning", f"{host}: hooks that were installed are not trusted", f"{told}. {facts.trust}", None)
                     for told in trust.doubts(facts, os.path.abspath(facts.home_of(dict(os.environ))), path, known)]  # fmt: skip
        findings += _unrun(scene, host, path, facts.trust)
    return Outcome("; ".join(looked_at), tuple(findings))


def kept_aside(scene: Scene) -> Outcome:
    """No hook had to keep an error outside the home, because the home could not be written."""
    from journal import aside

    path, lines = aside.path(dict(os.environ)), aside.lines(dict(os.environ))
    if not lines:
        return Outcome(f"{path}: nothing kept there")
    what = f"{len(lines)} session{'s' if len(lines) > 1 else ''} began while the home could not be written"
    return Outcome(path, (Finding("hook_errors", "error", what, f"{path}: {lines[-1]}", "journal doctor --fix"),))


def _commands(path: str, programs: list[list[str]]) -> list[str]:
    """Return the commands of our handlers in the file."""
    from ingest.install import file, handlers, jsonc
    from ingest.install.ownership import command_of

    text = file.read(path).text
    root = jsonc.parse(text)
    return [command_of(found.node) or "" for found in handlers.ours(text, root, programs)] if root else []


def _absent_program(command: str) -> str | None:
    """Return the program that a command would run, where it is named by its path and cannot be run."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words[0] if words and "/" in words[0] and not os.access(words[0], os.X_OK) else None


def _unrun(scene: Scene, host: str, path: str, trust: str) -> list[Finding]:
    """Return a finding where the newest session began after the settings were last written, and no hook of it was seen."""
    row = scene.views.execute(NEWEST, (host,)).fetchone()
    written = day(os.stat(path).st_mtime)
    if row is None or row[1] <= written or scene.views.execute(RAN, (row[0],)).fetchone():
        return []
    evidence = f"session {row[0]} began at {row[1]}, {path} is of {written}. {trust}"
    return [Finding("hooks", "warning", f"{host}: the newest session ran none of our hooks", evidence, f"journal install --host {host} --dry-run")]
