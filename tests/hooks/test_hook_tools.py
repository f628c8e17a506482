"""Hooks around tools: before an edit what was decided about the file, after a failure what made it pass before; else silence, and no trace."""

import json
import sqlite3
import subprocess
import sys
from typing import Any

import pytest
from test_hook_faults import FORBIDDEN
from test_hook_recall import learn
from world import ROOT, S, T, World

sys.path.insert(0, str(ROOT / "tests/bench"))
import recall

from projections.error_lines import error_line

ERROR = "ModuleNotFoundError: No module named 'ledger_core'"
FAILED = {
    "claude": {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "pytest -q"},
               "error": f"Exit code 1\nTraceback (most recent call last):\n{ERROR}\n", "is_interrupt": False},
    "codex": {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": f"running\n{ERROR}\n"},
    "gemini": {"hook_event_name": "AfterTool", "tool_name": "run_shell_command", "tool_input": {"command": "pytest -q"},
               "tool_response": {"llmContent": f"Output: {ERROR}\nExit Code: 1\nProcess Group PGID: 7", "returnDisplay": ERROR}},
    "copilot": {"toolName": "bash", "toolArgs": {"command": "pytest -q"},
                "toolResult": {"resultType": "success", "textResultForLlm": f"{ERROR}\n<exited with exit code 1>"}},
}  # fmt: skip
"""A failed command as each host tells it (recorded with the four clients)."""
EDITS = {
    "claude": {"hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_input": {"file_path": "{}/src/ledger.py", "old_string": "a", "new_string": "b"}},
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "apply_patch",
              "tool_input": {"command": "*** Begin Patch\n*** Update File: src/ledger.py\n@@\n-a\n+b\n*** End Patch"}},
    "gemini": {"hook_event_name": "AfterTool", "tool_name": "replace", "tool_input": {"file_path": "src/ledger.py"},
               "tool_response": {"llmContent": "Successfully modified file", "returnDisplay": ""}},
    "copilot": {"toolName": "edit", "toolArgs": {"path": "{}/src/ledger.py", "old_str": "a", "new_str": "b"}},
}  # fmt: skip
ROLE = {"claude": "before-tool", "codex": "before-tool", "gemini": "after-tool", "copilot": "before-tool"}
RULE = "Amounts in ledger.py stay integers of cents, never floats."


def call(world: World, role: str, host: str, told: dict[str, Any], **other: Any) -> Any:
    """Call a hook with a payload of the host."""
    own = {"sessionId": S} if host == "copilot" else {"session_id": S}
    filled = json.loads(json.dumps(told).replace("{}", str(world.project)))
    return world.hook(role, {**own, "cwd": str(world.project), **filled, **other}, host=host)


def fixed(world: World) -> None:
    """Ingest an earlier session in which the error was fixed."""
    common = {"cwd": str(world.project), "sessionId": T, "version": "2.1.332", "gitBranch": "main", "isSidechain": False}
    rows: list[tuple[str, str, Any]] = [("user", "u0", "fix the tests")]
    for number, (name, given, output, failed) in enumerate([
        ("Bash", {"command": "pytest -q"}, ERROR, True), ("Edit", {"file_path": str(world.project / "setup.cfg")}, "ok", False),
        ("Bash", {"command": "pytest -q"}, "3 passed", False)]):  # fmt: skip
        rows.append(("assistant", f"a{number}", [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}]))
        rows.append(("user", f"r{number}", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}]))
    rows.append(("assistant", "a9", [{"type": "text", "text": "We decided to keep src/ledger.py free of imports because the workers load it alone."}]))
    with world.transcript.with_name(f"{T}.jsonl").open("a") as file:
        for number, (kind, uuid, content) in enumerate(rows):
            message = {"role": kind, "content": content, **({"id": uuid, "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}
                                                            if kind == "assistant" else {})}  # fmt: skip
            file.write(json.dumps({"type": kind, "uuid": uuid, "timestamp": f"2026-12-01T10:00:{number:02d}.000Z", "message": message, **common}) + "\n")
    assert world.journal("ingest").status == 0


@pytest.mark.parametrize("host", FAILED)
def test_a_failed_command_is_told_what_fixed_it_before_once(world: World, host: str) -> None:
    """In each host's own payload and dialect; the second time in a session there is silence, and in another session it is told again."""
    fixed(world)
    told = [call(world, "after-tool", host, FAILED[host]) for _ in range(2)]
    assert f"`pytest -q` failed with: {ERROR}; it passed after: Edit {world.project}/setup.cfg" in told[0].context
    assert told[0].context.startswith("<recalled-learnings ")
    assert told[1][:3] == (0, "", "")
    other = {"sessionId" if host == "copilot" else "session_id": "33333333-0000-4000-8000-000000000003"}
    assert ERROR in call(world, "after-tool", host, FAILED[host], **other).context


def test_the_answer_names_the_event_of_the_host(world: World) -> None:
    """Claude Code drops what is answered to another event."""
    fixed(world)
    answer = call(world, "after-tool", "claude", FAILED["claude"]).answer
    assert list(answer) == ["hookSpecificOutput"]
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"
    assert list(call(world, "after-tool", "copilot", FAILED["copilot"], sessionId="x1").answer) == ["additionalContext"]


def test_the_session_that_fixed_it_is_not_told(world: World) -> None:
    """It knows."""
    fixed(world)
    assert call(world, "after-tool", "claude", FAILED["claude"], session_id=T)[:2] == (0, "")


PASSED = {
    "codex": {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "setup.cfg\nledger_core\n"},
    "gemini": {"tool_name": "run_shell_command", "tool_input": {"command": "cat log"}, "tool_response": {"llmContent": f"Output: {ERROR}\nExit Code: 0"}},
    "copilot": {"toolName": "bash", "toolArgs": {"command": "cat log"},
                "toolResult": {"resultType": "success", "textResultForLlm": f"{ERROR}\n<exited with exit code 0>"}},
    "claude": {"tool_name": "Bash", "tool_input": {"command": "sleep 9"}, "error": ERROR, "is_interrupt": True},
}  # fmt: skip


@pytest.mark.parametrize("host", PASSED)
def test_what_did_not_fail_is_answered_by_silence_without_a_trace(world: World, host: str) -> None:
    """A call that passed, or that the user stopped: nothing is said, and not a byte is written."""
    fixed(world)
    before = sorted((path.name, path.stat().st_size) for path in (world.home / "inbox").iterdir())
    assert call(world, "after-tool", host, PASSED[host])[:3] == (0, "", "")
    assert sorted((path.name, path.stat().st_size) for path in (world.home / "inbox").iterdir()) == before


@pytest.mark.parametrize("error", ["ModuleNotFoundError: No module named 'yaml'", "AssertionError: assert 1 == 2", "fatal: not a git repository", "", "\ud800",
                                   "No module named", "ImportError: cannot import name 'x' from 'core'"])  # fmt: skip
def test_another_error_is_answered_by_silence(world: World, error: str) -> None:
    """It shares the words of its kind and no more."""
    fixed(world)
    assert call(world, "after-tool", "claude", {**FAILED["claude"], "error": error})[:3] == (0, "", "")


@pytest.mark.parametrize("host", EDITS)
def test_an_edit_is_told_what_was_decided_about_the_file_once(world: World, host: str) -> None:
    """A learning that names it and the decision of an earlier session, before the edit, or right behind it where the host hears nothing before."""
    (world.project / "src").mkdir()
    world.commit("src/ledger.py", "a\n")
    fixed(world)
    name = learn(world, RULE, "--kind", "decision")
    told = [call(world, ROLE[host], host, EDITS[host]) for _ in range(2)]
    assert f"[{name}, decision" in told[0].context
    assert f"session {T}] We decided to keep src/ledger.py free of imports" in told[0].context
    assert told[1][:3] == (0, "", "")


def test_a_learning_is_found_by_its_anchor_and_one_of_another_file_is_not(world: World) -> None:
    """By the path relative to the checkout; the same name in another folder, or a name that only ends so, is another file."""
    for name in ("src", "other"):
        (world.project / name).mkdir()
        world.commit(f"{name}/ledger.py", "a\n")
    anchored = learn(world, "Cents are integers.", "--anchor", "src/ledger.py:1")
    learn(world, "old_ledger.py is generated.")
    learn(world, "Rows of other/ledger.py are sorted.")
    told = call(world, "before-tool", "claude", EDITS["claude"]).context
    assert told.count("- [") == 1
    assert anchored in told


def test_a_finding_of_a_handoff_about_the_file_is_told(world: World) -> None:
    """With the session's age."""
    (world.project / "src").mkdir()
    world.commit("src/ledger.py", "a\nb\n")
    notes = world.folder / "notes.md"
    notes.write_text("# Findings\n\n- The parser reads the first line twice. `src/ledger.py:1`\n")
    assert world.journal("handoff", "save", "--notes", str(notes)).status == 0
    assert "The parser reads the first line twice." in call(world, "before-tool", "claude", EDITS["claude"]).context


@pytest.mark.parametrize("path", ["/etc/passwd", "../outside.py", "nothing/known.py", "", "\0", "\ud800.py", "a" * 5000])
def test_a_file_of_which_nothing_is_known_is_answered_by_silence(world: World, path: str) -> None:
    """Also one outside the project, and what is no path."""
    learn(world, RULE)
    said = call(world, "before-tool", "claude", {"tool_name": "Edit", "tool_input": {"file_path": path}})
    assert said[:3] == (0, "", "")


def test_other_projects_sub_agents_and_a_switched_off_recall_are_told_nothing(world: World) -> None:
    """A learning stays in its project; a sub-agent's parent is the one who is told; setting `recall`."""
    learn(world, RULE)
    other = world.folder / "other/src"
    other.mkdir(parents=True)
    (other / "ledger.py").write_text("x")
    assert RULE in call(world, "before-tool", "claude", EDITS["claude"]).context
    assert call(world, "before-tool", "claude", {"tool_input": {"file_path": str(other / "ledger.py")}}, cwd=str(other.parent), session_id=T)[:2] == (0, "")
    assert call(world, "before-tool", "claude", EDITS["claude"], session_id=T, agent_id="a1")[:2] == (0, "")
    (world.home / "config.toml").write_text("[hooks]\nrecall = false\n")
    assert call(world, "before-tool", "claude", EDITS["claude"], session_id=T)[:2] == (0, "")


def test_what_is_told_keeps_its_tokens_and_tells_nothing_of_a_prompts_recall_again(world: World) -> None:
    """The same budget as a recall, and one memory of what was told."""
    for number in range(3):
        learn(world, f"In ledger.py shard {number} goes first: {'x' * 500}.")
    (world.home / "config.toml").write_text("[hooks]\nrecall_tokens = 250\n")
    told = call(world, "before-tool", "claude", EDITS["claude"]).context
    assert len(told.encode()) <= 1000
    assert "[2 of 3 left out; all: journal recall]" in told
    (world.home / "config.toml").unlink()
    name = learn(world, RULE)
    assert name in world.hook("prompt", prompt=f"what about {RULE}").context
    assert name not in call(world, "before-tool", "claude", EDITS["claude"]).context


@pytest.mark.parametrize("damage", [None, b"", b"no database at all" * 400])
@pytest.mark.parametrize("role", ["before-tool", "after-tool"])
def test_without_views_a_tool_goes_on(world: World, role: str, damage: bytes | None) -> None:
    """None, empty and damaged ones: exit 0, nothing said."""
    world.home.mkdir(mode=0o700, exist_ok=True)
    if damage is not None:
        (world.home / "views.db").write_bytes(damage)
    assert call(world, role, "claude", {**EDITS["claude"], **FAILED["claude"], "tool_input": EDITS["claude"]["tool_input"]})[:3] == (0, "", "")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"session_id": "a", "tool_input": 5, "tool_response": [1, {"a": {}}], "error": {}}', b"[" * 5000,
                                  b'{"sessionId":"a","toolArgs":[],"toolResult":{"textResultForLlm":7,"resultType":"failure"}}'])  # fmt: skip
@pytest.mark.parametrize("role", ["before-tool", "after-tool"])
def test_odd_payloads_give_no_output(world: World, role: str, data: bytes) -> None:
    """A tool is never held up."""
    learn(world, RULE)
    assert world.hook(role, data)[:3] == (0, "", "")


@pytest.mark.parametrize(("role", "told"), [("before-tool", EDITS["claude"]), ("after-tool", FAILED["claude"])])
def test_a_hook_around_a_tool_imports_nothing_heavy(world: World, role: str, told: dict[str, Any]) -> None:
    """As the other roles."""
    fixed(world)
    learn(world, RULE)
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from cli.hooks.edge import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    data = json.dumps({"session_id": S, "cwd": str(world.project), **told}).replace("{}", str(world.project)).encode()
    done = subprocess.run([sys.executable, "-I", "-c", script, role, "--host", "claude"], input=data, capture_output=True, env=world.environment, check=True)
    assert b"recalled-learnings" in done.stdout
    assert set(done.stderr.decode().split()) & set(FORBIDDEN) == set()


def test_a_file_among_many_sessions_is_looked_up_in_a_bounded_number_of_cards(world: World) -> None:
    """The last forty of the project, and no scan."""
    from projections import file_notes

    fixed(world)
    views = sqlite3.connect(world.home / "views.db")
    views.executemany("INSERT INTO restore_cards VALUES (?, 'claude', '/p', NULL, NULL, NULL, ?, NULL, ?)",
                      [(f"s{number}", f"2026-11-{1 + number % 28:02d}", json.dumps([["decision", f"We chose {number} in ledger.py"]]))
                       for number in range(500)])  # fmt: skip
    plan = [row[3] for row in views.execute("EXPLAIN QUERY PLAN " + file_notes.CARDS, ("/p", S, file_notes.SESSIONS, "ledger.py"))]
    assert len(file_notes.notes(views, "src/ledger.py", "/p", S)) == 3
    assert any("USING INDEX restore_cards_by_project (project=?" in step for step in plan)


def test_an_error_finds_its_own_fix_and_hardly_ever_another_ones() -> None:
    """Floors of the last line of tests/bench/recall.py: 48 errors again, 48 with other numbers from another place, 42 others of the same kinds."""
    found = recall.measure(recall.ERRORS, recall.by_error(recall.ERRORS))
    assert found.precision >= 0.97
    assert found.false_recall <= 0.03
    assert found.recall >= 0.95
    assert found.recall_paraphrased >= 0.6


@pytest.mark.parametrize(("output", "line"), [
    ("a\nValueError: x\nb", "ValueError: x"), ("errors are many\nlast", "last"), ("3 failed\nall", "3 failed"),
    ("error[E0308]: m\nfatal: x", "error[E0308]: m"),
    ("*** [all] 2\nabort", "*** [all] 2"), ("  Permission denied  \n\n", "Permission denied"), ("1 error\nwarnings", "1 error"),
    ("sh: foo: not found\n", "sh: foo: not found"), ("", ""), (None, ""), ("KeyError_x\nz", "z"),
    ("MyException\nz", "MyException"),
])  # fmt: skip
def test_the_line_of_an_output_that_says_most(output: str | None, line: str) -> None:
    """The last that names an error, else failure, else the last; views and hooks read it the same way."""
    assert error_line(output) == line
