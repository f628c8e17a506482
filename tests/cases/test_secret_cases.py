"""Case H1: secrets of every shape in what tools said and were given, by all four hosts; only the log holds them."""

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest
from archive import CWD, Archive, answer, claude, codex, moment, uuid

from journal import redaction

S, T = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"
G, P = "cccccccc-0000-4000-8000-000000000003", "dddddddd-0000-4000-8000-000000000004"
BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PEM = "MIIEpAIBAAKCAQEAtr0ub4dor"
SAID = {
    "ghp_" + BODY: "github token: ghp_" + BODY,
    "github_pat_11ABCDEFG0" + BODY: "GH_TOKEN github_pat_11ABCDEFG0" + BODY,
    "AKIA" + "QWERTYUIOP123456": "key id AKIA" + "QWERTYUIOP123456",
    "Bearer x9": "curl -H 'Authorization: Bearer x9' http://h",
    "QmFzaWM6cGFzc3dvcmQ": "Authorization: Basic QmFzaWM6cGFzc3dvcmQ=",
    PEM: f"-----BEGIN RSA PRIVATE KEY-----\n{PEM}\nsecondline\n-----END RSA PRIVATE KEY-----",
    "u:p@h": "postgres://u:p@h",
    "app:s3cr3tpw@": "DATABASE_URL=postgres://app:s3cr3tpw@db.example:5432/app",
    "mongopw7": "mongodb+srv://admin:mongopw7@cluster0.example.net/?retryWrites=true",
    "sk-ant-api03-" + BODY: "sk-ant-api03-" + BODY,
    "sk-proj-" + BODY: "OPENAI sk-proj-" + BODY,
    "AIzaSyA1234567890abcdefghijklmnopqrstuv": "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "xoxb-" + "123456789012-abcdefghij": "slack xoxb-" + "123456789012-abcdefghij",
    "glpat-" + "abcdefghij0123456789": "glpat-" + "abcdefghij0123456789",
    "npm_" + BODY: "//registry.example/:_authToken=npm_" + BODY,
    "hf_" + BODY[:34]: "hf_" + BODY[:34],
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0": "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl",
    "envpassword77": "DB_PASSWORD=envpassword77",
    "envsecret88x": "DJANGO_SECRET_KEY='envsecret88x'",
    "apikeyvalue99": "STRIPE_API_KEY: apikeyvalue99",
    "wJalrXUtnFEMIK7MDENG": "aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
}
"""What must not be seen, and how a tool says it."""


def said_by_all_hosts(archive: Archive) -> None:
    """Write a session of each host in which tools were given and said every secret."""
    pairs = [(f"call{number}", {"command": f"echo {number} <<X\n{text}"}, f"beforeword {text} afterword") for number, text in enumerate(SAID.values())]
    records: list[Any] = [claude(1, S, "read the settings")]
    for number, (call, given, output) in enumerate(pairs):
        use = {"type": "tool_use", "id": call, "name": "Bash", "input": given}
        message = {"id": f"m{number}", "role": "assistant", "model": "claude-opus-5-5", "content": [use]}
        records += [answer(10 + 2 * number, S, "", f"m{number}", message=message),
                    claude(11 + 2 * number, S, "", message={"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": output}]},
                           toolUseResult={"stdout": output})]  # fmt: skip
    archive.write(archive.claude_path(S), *records, claude(200, S, " and ".join(SAID.values())), answer(201, S, "\n".join(SAID.values()), "m-last"))
    items: list[tuple[str, dict[str, Any]]] = [("event_msg", {"type": "user_message", "message": "\n".join(SAID.values())})]
    for call, given, output in pairs:
        items += [("response_item", {"type": "function_call", "call_id": call, "name": "shell", "arguments": json.dumps(given)}),
                  ("response_item", {"type": "function_call_output", "call_id": call, "output": output})]  # fmt: skip
    archive.write(archive.codex_path(T), codex(T, items))
    calls = [{"id": call, "name": "run_shell_command", "args": given, "status": "success",
              "result": [{"functionResponse": {"id": call, "response": {"output": output}}}]} for call, given, output in pairs]  # fmt: skip
    archive.write(archive.folder / ".gemini/tmp/p/chats" / f"session-2026-11-30T10-00-{G[:8]}.jsonl",
                  {"sessionId": G, "projectHash": "0" * 64, "startTime": moment(0), "kind": "main", "directories": [CWD]},
                  {"id": "u1", "timestamp": moment(1), "type": "user", "content": [{"text": "\n".join(SAID.values())}]},
                  {"id": "g1", "timestamp": moment(2), "type": "gemini", "content": "ok", "model": "gemini-3", "toolCalls": calls})  # fmt: skip
    events: list[Any] = [{"type": "session.start", "id": uuid(1), "timestamp": moment(0), "data": {"sessionId": P, "context": {"cwd": CWD}}}]
    for number, (call, given, output) in enumerate(pairs):
        for kind, data in (("user.message", {"content": output}), ("tool.execution_start", {"toolCallId": call, "toolName": "bash", "arguments": given}),
                           ("tool.execution_complete", {"toolCallId": call, "success": True, "result": {"content": output}})):  # fmt: skip
            events.append({"type": kind, "id": uuid(100 + len(events)), "timestamp": moment(number), "data": data})
    archive.write(archive.folder / ".copilot/session-state" / P / "events.jsonl", *events)


def leaks(data: bytes) -> list[str]:
    """Return the secrets that stand in *data*, plainly or with the quotes of JSON around them escaped."""
    return [secret for secret in SAID if secret.encode() in data]


def test_h1_only_the_log_holds_what_tools_said(archive: Archive) -> None:
    """Each shape of secret in prompts, answers, inputs and outputs of the four hosts: no file of the journal but the log has it, and the log is private."""
    said_by_all_hosts(archive)
    assert archive.ingest()["damaged"] == 0
    assert archive.run("records", "on")[0] == 0
    for words in (("snapshot", "--session", S), ("handoff", "save", "--title", "Where we are", "--session", S), ("index",)):
        status, _, err = archive.run(*words)
        assert status == 0, err
    archive.ingest()
    with closing(sqlite3.connect(archive.home / "views.db")) as views:
        assert views.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        tables = [name for (name,) in views.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'")]
        found = {}
        for table in tables:
            text = "\n".join(str(value) for row in views.execute(f'SELECT * FROM "{table}"') for value in row)
            found[table] = leaks(text.encode())
        assert {table: secrets for table, secrets in found.items() if secrets} == {}
        told = "SELECT count(*) FROM tool_calls WHERE output_excerpt LIKE 'beforeword %redacted%' AND input_text LIKE '%redacted%'"
        assert views.execute(told).fetchone() == (4 * len(SAID),)
    files = {path.relative_to(archive.home).as_posix(): leaks(path.read_bytes()) for path in archive.home.rglob("*") if path.is_file()}
    assert {name: secrets for name, secrets in files.items() if secrets} == {}, "the log itself is compressed"
    assert (archive.home / "journal.db").stat().st_mode & 0o777 == 0o600
    target = archive.folder / "back.jsonl"
    assert archive.run("export", S, "--format", "raw", "--output", str(target))[0] == 0
    assert len(leaks(target.read_bytes())) == len(SAID), "the log has them all"


def test_h1_names_and_paths_are_text_too(archive: Archive) -> None:
    """A path that a shell wrote to, the name of a tool and an unknown kind of record: a secret in them stands in no view."""
    secret = "ghp_" + BODY
    for number, (name, given) in enumerate((("Bash", {"command": f"echo x > {secret}.txt"}), (f"mcp__{secret}", {"a": 1}))):
        use = {"type": "tool_use", "id": f"call{number}", "name": name, "input": given}
        message = {"id": f"m{number}", "role": "assistant", "model": "claude-opus-5-5", "content": [use]}
        archive.write(archive.claude_path(S), claude(number * 2, S, "go on"), answer(number * 2 + 1, S, "", f"m{number}", message=message), append=True)
    archive.write(archive.claude_path(S), {"type": f"kind-{secret}", "sessionId": S}, append=True)
    assert archive.ingest()["unknown"] == 1
    assert archive.rows("views.db", "SELECT path FROM file_changes ORDER BY path") == [("[redacted:github-token].txt",)]
    assert archive.rows("views.db", "SELECT kind FROM unknown_records") == [("claude.kind-[redacted:github-token]",)]
    assert archive.rows("views.db", "SELECT name FROM tool_calls WHERE tool_call_id = 'call1'") == [("mcp__[redacted:github-token]",)]


def test_h1_redaction_never_breaks_json(archive: Archive) -> None:
    """What was JSON in a view is JSON after redaction, with the secret's place told."""
    said_by_all_hosts(archive)
    archive.ingest()
    archive.run("records", "on")
    inputs = [text for (text,) in archive.rows("views.db", "SELECT input_text FROM tool_calls")]
    assert len(inputs) == 4 * len(SAID)
    assert ["[redacted:" in json.loads(text)["command"] for text in inputs] == [True] * len(inputs)
    assert archive.rows("views.db", "SELECT count(*) FROM records WHERE NOT json_valid(data)") == [(0,)]
    for secret, text in SAID.items():
        for depth in range(4):
            value: Any = {"a": f"first line\n{text}", "b": [1, text]}
            for _ in range(depth):
                value = {"inner": json.dumps(value)}
            read = json.loads(redaction.redact(json.dumps(value)))
            for _ in range(depth):
                read = json.loads(read["inner"])
            assert (read["b"][0], secret in read["a"], secret in read["b"][1], "[redacted:" in read["a"]) == (1, False, False, True), (secret, depth)


@pytest.mark.parametrize("command", ["ingest", "replay"])
def test_h1_a_new_version_of_the_rules_rebuilds_the_views(archive: Archive, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    """A rule that comes with a newer version takes out what older views still have, at the next ingest, and leaves it in no page of the file."""
    archive.write(archive.claude_path(S), claude(1, S, "the word swordfish99 is ours"), answer(2, S, "swordfish99", "m1"))
    archive.ingest()
    assert len(archive.hits("swordfish99")) == 2
    rule = redaction._rule("ours", "swordfish", r"swordfish[0-9]+")
    monkeypatch.setattr(redaction, "RULES", (*redaction.RULES, rule))
    monkeypatch.setattr(redaction, "_SIGNS", redaction.AhoCorasick(sorted(frozenset().union(*(one.signs for one in redaction.RULES)))))
    archive.ingest()
    assert archive.rows("views.db", "SELECT count(*) FROM messages WHERE text LIKE '%swordfish99%'") == [(2,)], "the same version rebuilds nothing"
    monkeypatch.setattr(redaction, "RULES_VERSION", redaction.RULES_VERSION + 1)
    assert archive.run(*([command, "--root", f"claude={archive.folder / '.claude'}"] if command == "ingest" else [command]))[0] == 0
    assert archive.rows("views.db", "SELECT text FROM messages ORDER BY global_position") == [("the word [redacted:ours] is ours",), ("[redacted:ours]",)]
    assert archive.hits("swordfish99") == []
    assert b"swordfish99" not in (archive.home / "views.db").read_bytes()
    assert archive.json("replay", "--verify")["verified"] is True
    assert len(archive.json("search", "ours", "--all")["hits"]) == 2
