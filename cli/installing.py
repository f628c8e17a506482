"""The commands that configure the hosts: install, uninstall, setup."""

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cli import extras
from cli.render import print_json, print_table, print_text, say
from journal.errors import SettingInvalid
from journal.home import Home
from journal.settings import Settings

if TYPE_CHECKING:
    from ingest.facts import Facts
    from ingest.install.installation import Outcome, Request



def install(settings: Settings, asked: argparse.Namespace) -> int:
    """Configure one host and say what changed and what it still asks for."""
    from ingest.install import installation

    facts = installation.facts_of(asked.host)
    program = program_of(asked.bin)
    request = _request(settings, is_dry=asked.dry_run, is_project=asked.project)._replace(has_server=asked.mcp, has_tools=asked.tools)
    if asked.mcp:
        _prove_server(program, is_project=asked.project)
    before = _text(installation.config_path(facts, request))
    _prove(facts, program)
    outcome = installation.install(facts, program, request)
    _report_install(facts, program, request, outcome, before, as_json=asked.json)
    return 0


def uninstall(settings: Settings, asked: argparse.Namespace) -> int:
    """Take out of one host or of all what install added."""
    from ingest.facts import HOSTS
    from ingest.install import installation

    request = _request(settings, is_dry=asked.dry_run, is_project=asked.project)
    outcomes: list[Outcome] = []
    failed: list[str] = []
    for host in HOSTS if asked.all else (asked.host,):
        try:
            outcomes += installation.uninstall(installation.facts_of(host), request)
        except SettingInvalid as error:
            if not asked.all:
                raise
            failed.append(str(error))
    if asked.json:
        print_json({"dry_run": request.is_dry, "errors": failed, "hosts": [
            {"host": each.host, "config": each.config, "changed": each.is_changed, "backup": each.backup, "deleted": each.written, "kept": each.kept}
            for each in outcomes]})  # fmt: skip
    else:
        print_table(("host", "config", "", "backup"), [(each.host, each.config, _verb(each, request.is_dry), each.backup) for each in outcomes])
        _list("would delete" if request.is_dry else "deleted", [path for each in outcomes for path in each.written])
    for path in (path for each in outcomes for path in each.kept):
        say(f"kept, since it was changed by you: {path}")
    for reason in failed:
        say(f"skipped: {reason}")
    return 1 if failed else 0


def setup(settings: Settings, asked: argparse.Namespace) -> int:
    """Find the hosts, show what would change, and install into those that are agreed to; without a terminal into all that were found."""
    from ingest.facts import HOSTS
    from ingest.install import installation

    dry = _request(settings, is_dry=True, is_project=False)
    program = program_of(None)
    found: list[dict[str, Any]] = []
    for host in HOSTS:
        facts = installation.facts_of(host)
        found.append({"host": host, "config": installation.config_path(facts, dry), "state": _state(facts, program, dry)})
    if not asked.json:
        print_table(("host", "config", "found"), [(each["host"], each["config"], each["state"]) for each in found])
    wanted = [each for each in found if each["state"] == "would change"]
    if asked.dry_run:
        for each in () if asked.json else wanted:
            _show_change(each["host"], each["config"], program, dry)
        wanted = []
    elif sys.stdin.isatty() and not (asked.yes or asked.json):
        wanted = [each for each in wanted if _agreed(each["config"], each["host"], program, dry)]
    if wanted:
        _prove(installation.facts_of(wanted[0]["host"]), program)
    request = dry._replace(is_dry=False)
    for each in wanted:
        facts = installation.facts_of(each["host"])
        try:
            outcome = installation.install(facts, program, request)
        except SettingInvalid as error:
            each["state"] = f"skipped: {error}"
            say(f"{each['host']} was skipped: {error}")
            continue
        each |= {"state": "changed", "backup": outcome.backup, "trust": facts.trust}
        say(f"{each['host']}: installed. {facts.trust}")
    if asked.json:
        print_json({"dry_run": asked.dry_run, "hosts": found})
    return 1 if any(each["state"].startswith("skipped") for each in found) else 0


def program_of(given: str | None) -> list[str]:
    """Return the words that run the journal in a hook: *given*, else this interpreter, isolated from the project it runs in.

    Raises: SettingInvalid: *given* is empty or no shell words, or holds characters that a settings file cannot.
    """
    if given is None:
        folder, name = os.path.split(os.path.abspath(sys.executable))
        plain = os.path.join(folder, "python")  # one name whichever started us: Codex asks for trust again when the command changes
        same = os.path.exists(plain) and os.path.samefile(plain, sys.executable)
        words = [plain if same else os.path.join(folder, name), "-I", "-m", "journal"]
    else:
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise SettingInvalid(f"--bin {given}: {error}", hint="quote the path") from error
        found = shutil.which(words[0]) if words else None
        if found is None:
            raise SettingInvalid(f"--bin {given}: there is no such program", hint="give its absolute path")
        words[0] = os.path.abspath(found)
    if any(not word.isprintable() for word in words):
        raise SettingInvalid("the command holds characters that a settings file cannot hold", hint="install the journal at a plain path")
    return words


def _request(settings: Settings, *, is_dry: bool, is_project: bool) -> "Request":
    from cli.wiring import now
    from ingest.install.installation import Request

    return Request(Home(settings.home), dict(os.environ), now(), _project_root() if is_project else None, is_dry)


def _project_root() -> str:
    """Return the folder of the repository around the current directory, else that directory."""
    here = folder = os.getcwd()
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return here
        folder = parent
    return folder


def _prove(facts: "Facts", program: Sequence[str]) -> None:
    from ingest.install.ownership import command
    from ingest.install.probe import prove

    # without the fallback, which would hide a failure
    prove(command(program, next(iter(facts.events)), facts.host, ""), os.environ)


def _prove_server(program: Sequence[str], *, is_project: bool) -> None:
    """Refuse to tell a host of a server that cannot start.

    Raises: SettingInvalid.
    """
    import subprocess

    if is_project:
        raise SettingInvalid("--mcp and --project exclude each other: a project's file would name this machine's interpreter", hint="leave one of them out")
    try:
        done = subprocess.run([*program, "mcp"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603  our own program
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SettingInvalid(f"the server does not start: {error}", hint="run: journal mcp") from error
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise SettingInvalid(f"the server does not start: {said[0] if said else done.returncode}", hint=f"run: {extras.command('mcp')}")


def _text(path: str) -> str:
    from ingest.install import file

    return file.read(path).text


def _state(facts: "Facts", program: Sequence[str], dry: "Request") -> str:
    from ingest.install import installation

    if shutil.which(facts.program) is None and not os.path.isdir(facts.home_of(dry.environ)):
        return "not on this machine"
    try:
        return "would change" if installation.install(facts, program, dry).is_changed else "installed"
    except SettingInvalid as error:
        return f"skipped: {error}"


def _show_change(host: str, config: str, program: Sequence[str], dry: "Request") -> None:
    """Print what installing into a host would change: the lines of its settings, and the commands that it gets."""
    from ingest.install import installation

    outcome = installation.install(installation.facts_of(host), program, dry)
    _print_difference(config, _text(config), outcome.config_after or "")
    if outcome.written:
        print_text(f"and {len(outcome.written)} commands below {os.path.commonpath([os.path.dirname(path) for path in outcome.written])}")


def _agreed(config: str, host: str, program: Sequence[str], dry: "Request") -> bool:
    _show_change(host, config, program, dry)
    say(f"Let {host} run the journal's hooks ({config})? [y/N]")
    agreed = sys.stdin.readline().strip().lower() in {"y", "yes"}
    if not agreed:
        say(f"{host}: left as it is")
    return agreed


def _report_install(facts: "Facts", program: Sequence[str], request: "Request", outcome: "Outcome", before: str, *, as_json: bool) -> None:
    from ingest.install import conditions, manifest, ownership

    trust = facts.trust if request.project is None else facts.trust_project
    has_tools = any(f" hook {role} " in (outcome.config_after or "") for role in facts.tool_events)
    commands = [{"role": role, "event": event.name, "command": ownership.command(program, role, facts.host, facts.fallback), "timeout": event.timeout,
                 "unit": facts.timeout_unit} for role, event in {**facts.events, **(facts.tool_events if has_tools else {})}.items()]  # fmt: skip
    home = os.path.abspath(facts.home_of(request.environ))
    warnings = conditions.warnings(facts, home, outcome.config, manifest.load(request.home))
    if os.environ.get("JOURNAL_HOME"):
        warnings.append("JOURNAL_HOME is set here; hooks use what the host's environment says, so set it there too")
    if request.project is not None:
        warnings.append(f"{outcome.config} names this machine's interpreter: leave it out of the repository")
    if as_json:
        print_json({"host": facts.host, "config": outcome.config, "changed": outcome.is_changed, "backup": outcome.backup, "commands": commands,
                    "trust": trust, "files": outcome.written, "kept": outcome.kept, "warnings": warnings, "dry_run": request.is_dry})  # fmt: skip
    else:
        print_table(("host", "config", "", "backup"), [(facts.host, outcome.config, _verb(outcome, request.is_dry), outcome.backup)])
        if request.is_dry:
            _print_difference(outcome.config, before, outcome.config_after or "")
        _list("would write" if request.is_dry else "wrote", outcome.written)
        say(trust)
    for path in outcome.kept:
        say(f"kept, since it was changed or made by you: {path}")
    for warning in warnings:
        say(f"note: {warning}")


def _list(head: str, paths: Sequence[str]) -> None:
    if paths:
        print_table((head,), [(path,) for path in paths])


def _verb(outcome: "Outcome", is_dry: bool) -> str:
    if not outcome.is_changed:
        return "as it should be"
    return "would change" if is_dry else "changed"


def _print_difference(path: str, before: str, after: str) -> None:
    """Print the changed lines alone; what stands around them may be nobody's business."""
    from difflib import unified_diff

    print_text("\n".join(unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="", n=0)))
