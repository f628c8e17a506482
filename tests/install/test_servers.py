"""The MCP server in the four hosts' settings: put in, brought up to date, taken out to the byte."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from ingest.install import installation, manifest, servers
from ingest.install.installation import Request, facts_of
from journal.errors import SettingInvalid
from journal.home import Home

PROGRAM = ["/opt/journal/bin/python", "-I", "-m", "journal"]
FILES = {"claude": ".claude.json", "codex": ".codex/config.toml", "gemini": ".gemini/settings.json", "copilot": ".copilot/mcp-config.json"}
JSON = (
    "{}\n", '{\n  "theme": "dark"\n}\n', '{"theme":"dark"}', '{\n\t"mcpServers": {\n\t\t"other": {"command": "x", "args": []}\n\t}\n}\n',
    '{\r\n  "mcpServers": {},\r\n  "a": 1\r\n}\r\n', "\ufeff{\n  \"a\": [1, 2]\n}\n",
    '{\n  // servers of mine\n  "mcpServers": {\n    // one\n    "a": {"command": "a"}, // last\n  },\n}\n',
)  # fmt: skip
TOML = ("", 'model = "gpt-5.5"\n', 'model = "gpt-5.5"', "# mine\r\nmodel = 'x'\r\n\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\n", "[a]\nb = 1\n\n\n")


def request(folder: Path, **more: str) -> Request:
    """Return a request in a throw-away home."""
    return Request(Home(str(folder / "journal")), {"HOME": str(folder), **more}, "2026-12-03T10:00:00.000000Z", has_server=True)


def read(path: Path) -> Any:
    """Return the servers that a host reads."""
    text = path.read_text(encoding="utf-8-sig")
    return tomllib.loads(text)["mcp_servers"] if path.suffix == ".toml" else json.loads(text)["mcpServers"]


@pytest.mark.parametrize("host", FILES)
def test_every_host_is_told_where_it_looks_and_uninstall_leaves_nothing(host: str, tmp_path: Path) -> None:
    """A home without any file has none afterwards."""
    asked = request(tmp_path)
    installation.install(facts_of(host), PROGRAM, asked)
    entry = read(tmp_path / FILES[host])["journal"]
    assert (entry["command"], entry["args"]) == (PROGRAM[0], ["-I", "-m", "journal", "mcp"])
    installation.uninstall(facts_of(host), asked)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and "journal" not in path.relative_to(tmp_path).parts] == []


@pytest.mark.parametrize(("host", "text"), [*((host, text) for host in ("claude", "gemini", "copilot") for text in JSON), *(("codex", text) for text in TOML)])
def test_a_users_settings_come_back_to_the_byte(host: str, text: str, tmp_path: Path) -> None:
    """Comments, order, indentation and line ends stay; a second install changes nothing."""
    path = tmp_path / FILES[host]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    asked = request(tmp_path)
    installation.install(facts_of(host), PROGRAM, asked)
    first = path.read_bytes()
    assert installation.install(facts_of(host), PROGRAM, asked).is_changed is False
    assert path.read_bytes() == first != text.encode()
    installation.uninstall(facts_of(host), asked)
    assert path.read_bytes() == text.encode()


@pytest.mark.parametrize("text", [text for text in JSON if '"mcpServers": {},' not in text])
def test_what_the_user_added_since_stays_and_ours_goes(text: str, tmp_path: Path) -> None:
    """The backup is not put back over a file that changed; ours is taken out of it alone; an object that is empty then goes too."""
    asked = request(tmp_path)
    path = tmp_path / ".claude.json"
    path.write_bytes(text.encode())
    installation.install(facts_of("claude"), PROGRAM, asked)
    path.write_bytes(path.read_bytes() + b"\n")
    installation.uninstall(facts_of("claude"), asked)
    assert path.read_bytes() == text.encode() + b"\n"


def test_a_codex_file_that_grew_keeps_what_was_added(tmp_path: Path) -> None:
    """A table behind ours stays."""
    asked = request(tmp_path)
    path = tmp_path / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text('model = "x"\n')
    installation.install(facts_of("codex"), PROGRAM, asked)
    path.write_text(path.read_text() + "\n[profiles.fast]\nmodel = 'y'\n")
    installation.uninstall(facts_of("codex"), asked)
    assert path.read_text() == "model = \"x\"\n\n[profiles.fast]\nmodel = 'y'\n"


@pytest.mark.parametrize(("host", "text"), [("claude", '{"mcpServers": {"journal": {"command": "their-journal", "args": ["serve"]}}}'),
                                            ("codex", "[mcp_servers.journal]\ncommand = 'theirs'\nargs = ['serve']\n")])  # fmt: skip
def test_a_server_of_somebody_else_is_left_alone(host: str, text: str, tmp_path: Path) -> None:
    """Install refuses, uninstall changes nothing."""
    asked = request(tmp_path)
    path = tmp_path / FILES[host]
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    with pytest.raises(SettingInvalid, match="somebody else"):
        servers.install(facts_of(host), PROGRAM, asked.environ, manifest.load(asked.home), str(tmp_path / "backup"), is_dry=False)
    installation.uninstall(facts_of(host), asked)
    assert path.read_text() == text


@pytest.mark.parametrize(("host", "text"), [("claude", '{"mcpServers": [}'), ("claude", '{"mcpServers": []}'), ("codex", "a = = 1")])
def test_settings_that_do_not_parse_are_not_touched(host: str, text: str, tmp_path: Path) -> None:
    """The error names the file."""
    path = tmp_path / FILES[host]
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    with pytest.raises(SettingInvalid, match=path.name):
        servers.install(facts_of(host), PROGRAM, {"HOME": str(tmp_path)}, manifest.Manifest({}, []), str(tmp_path / "backup"), is_dry=False)
    assert path.read_text() == text


@pytest.mark.parametrize("host", FILES)
def test_another_program_brings_the_entry_up_to_date(host: str, tmp_path: Path) -> None:
    """The interpreter moved, and a home of the journal's own goes with it."""
    asked = request(tmp_path)
    installation.install(facts_of(host), PROGRAM, asked)
    installation.install(facts_of(host), ["/new/python", *PROGRAM[1:]], request(tmp_path, JOURNAL_HOME="/somewhere"))
    entry = read(tmp_path / FILES[host])["journal"]
    assert (entry["command"], entry["env"]) == ("/new/python", {"JOURNAL_HOME": "/somewhere"})
    installation.uninstall(facts_of(host), asked)
    assert not (tmp_path / FILES[host]).exists()


def test_without_mcp_no_server_is_told_and_a_dry_run_writes_none(tmp_path: Path) -> None:
    """Only who asks gets one."""
    installation.install(facts_of("claude"), PROGRAM, request(tmp_path)._replace(has_server=False))
    installation.install(facts_of("claude"), PROGRAM, request(tmp_path)._replace(is_dry=True))
    assert not (tmp_path / ".claude.json").exists()


def test_the_command_proves_that_the_server_starts(tmp_path: Path) -> None:
    """`install --mcp` with a program that cannot serve is refused, and nothing is written."""
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(Path(__file__).parents[2])}
    broken = tmp_path / "journal"
    broken.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
    broken.chmod(0o755)
    done = subprocess.run([sys.executable, "-m", "journal", "install", "--host", "claude", "--mcp", "--bin", str(broken)], env=environ, cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert "the server does not start: no" in done.stderr
    assert not (tmp_path / ".claude.json").exists()
