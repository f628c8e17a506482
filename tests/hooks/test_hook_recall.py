"""What prompts and session starts bring back of what was learned: rarely, once, within a budget, and only what fits."""

import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from world import ROOT, S, T, World

sys.path.insert(0, str(ROOT / "tests/bench"))
from recall import CASES, by_words, measure

from projections import learned, likeness

LOCK = "The ledger lock is not re-entrant: take it once per transfer."
ASKED = "take the ledger lock in the transfer too"


def learn(world: World, text: str, *words: str) -> str:
    """Store a learning and return its id."""
    said = world.journal("learn", text, *words, "--json")
    assert said.status == 0, said.stderr
    return str(json.loads(said.stdout)["learning_id"])


def prompt(world: World, text: str = ASKED, **fields: Any) -> str:
    """Return what a prompt's hook tells the model."""
    return world.hook("prompt", prompt=text, **fields).context


def test_k20_a_prompt_brings_back_the_learning_that_fits(world: World) -> None:
    """Fenced, with its kind and id, and nothing else."""
    name = learn(world, LOCK, "--kind", "gotcha")
    learn(world, "The gallery has no captions.")
    told = prompt(world)
    assert told.startswith("<recalled-learnings ")
    assert told.endswith("</recalled-learnings>")
    assert f"[{name}, gotcha, 0 min ago] {LOCK}" in told
    assert "captions" not in told


@pytest.mark.parametrize("text", ["go on", "take it once more", "write a test for the gallery", "ledger", "/recall ledger lock", "", "what is this?",
                                  "\ud800 gallery"])  # fmt: skip
def test_k20_a_prompt_that_nothing_surely_fits_is_answered_by_silence(world: World, text: str) -> None:
    """No shared words, one shared word, a command, nothing at all."""
    learn(world, LOCK)
    assert world.hook("prompt", prompt=text)[:3] == (0, "", "")


def test_k20_half_characters_in_a_prompt_hide_nothing(world: World) -> None:
    """A lone surrogate, as hosts cut them, is no reason to say nothing."""
    learn(world, LOCK)
    assert LOCK in prompt(world, f"\ud83d {ASKED} \ude00")


def test_k20_a_learning_is_told_once_in_a_session_and_again_after_a_compaction(world: World) -> None:
    """What stands in the context already is not repeated; another session is told anew."""
    learn(world, LOCK)
    assert [bool(prompt(world)), bool(prompt(world)), bool(prompt(world, session_id=T))] == [True, False, True]
    (world.home / "config.toml").write_text("[hooks]\nrestore = false\n")
    world.hook("session-start", source="compact")
    assert [bool(prompt(world)), bool(prompt(world))] == [True, False]


def test_two_hooks_of_one_prompt_tell_it_once(world: World) -> None:
    """A host that calls the user's and the project's hook gets one answer."""
    learn(world, LOCK)
    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(lambda _: prompt(world), range(6)))
    assert sum(map(bool, told)) == 1


def test_what_a_session_start_told_is_not_recalled_again(world: World) -> None:
    """The learning stands in the context since the start."""
    learn(world, LOCK)
    assert LOCK in world.hook("session-start", source="startup").context
    assert prompt(world) == ""


def test_a_recall_keeps_its_tokens(world: World) -> None:
    """Whole learnings, the best first, and how many were left out."""
    for number in range(3):
        learn(world, f"The ledger lock of shard {number} guards the transfer of region {number}: {'x' * 300}.")
    (world.home / "config.toml").write_text("[hooks]\nrecall_tokens = 200\n")
    told = prompt(world)
    assert len(told.encode()) <= 800
    assert "[2 of 3 left out; all: journal recall]" in told


def test_a_recall_can_be_switched_off(world: World) -> None:
    """Setting `recall`."""
    learn(world, LOCK)
    (world.home / "config.toml").write_text("[hooks]\nrecall = false\n")
    assert prompt(world) == ""
    assert "recalled" not in world.hook("session-start", source="startup").context


def test_learnings_of_another_project_stay_there_and_global_ones_come(world: World) -> None:
    """A project's learning is never told elsewhere."""
    learn(world, LOCK)
    other = world.folder / "other"
    other.mkdir()
    assert prompt(world, cwd=str(other)) == ""
    learn(world, "Every ledger lock is released before a transfer returns.", "--scope", "global")
    assert "released before" in prompt(world, cwd=str(other))


def test_kw10_what_contradicts_comes_with_it_and_what_has_ended_does_not(world: World) -> None:
    """Both sides of a conflict, nothing retired."""
    first = learn(world, LOCK)
    second = learn(world, "The ledger lock is re-entrant: take it once per transfer or often.")
    told = prompt(world)
    assert f"conflicts with {first}" in told
    assert f"conflicts with {second}" in told
    world.journal("retire", first)
    assert first not in prompt(world, session_id=T)


def test_a_changed_file_of_a_learning_is_flagged(world: World) -> None:
    """The hook looks at the file's time, the command compares the lines."""
    learn(world, LOCK, "--anchor", "a.py:1")
    assert "caution" not in prompt(world)
    (world.project / "a.py").write_text("two\n")
    subprocess.run(["touch", "-d", "+1 hour", str(world.project / "a.py")], check=True)
    assert "[caution: a.py changed since]" in prompt(world, session_id=T)
    (world.project / "a.py").unlink()
    assert "[caution: a.py is gone]" in prompt(world, session_id="33333333-0000-4000-8000-000000000003")


@pytest.mark.parametrize("host", ["claude", "codex", "gemini", "copilot"])
def test_k20_every_host_is_told_in_its_own_dialect(world: World, host: str) -> None:
    """The recall stands where the host reads additional context."""
    learn(world, LOCK)
    assert LOCK in world.hook("prompt", host=host, prompt=ASKED).context


def test_a_recall_and_an_alert_come_in_one_answer(world: World) -> None:
    """Neither hides the other."""
    learn(world, LOCK)
    world.answered(190_000)
    answer = world.hook("prompt", prompt=ASKED).answer
    context = answer["hookSpecificOutput"]["additionalContext"]
    assert answer["systemMessage"]
    assert context.index("[journal]") < context.index("<recalled-learnings")


def test_k19_a_session_start_tells_the_learnings_that_matter(world: World) -> None:
    """Behind the restore, in one answer; the ones like the last work and the user's wishes first."""
    world.answered(1000, "We decided to keep the ledger lock because two writers raced.")
    world.hook("stop")
    for number in range(12):
        learn(world, f"Colour number {number} of the palette is named after gem {number * 7}.")
    learn(world, LOCK, "--kind", "gotcha")
    learn(world, "Answer in short sentences.", "--kind", "preference", "--scope", "global")
    told = world.hook("session-start", session_id=T, source="startup").context
    assert told.index("</journal-restored-context>") < told.index("<recalled-learnings ")
    assert told.count("- [l") <= 8
    assert LOCK in told
    assert "Answer in short sentences." in told


def test_k19_restore_and_learnings_keep_one_budget(world: World) -> None:
    """600 tokens for both together."""
    world.answered(1000, " ".join(f"We decided on rule {number} because of reason {number}." for number in range(60)))
    world.hook("stop")
    for number in range(8):
        learn(world, f"The ledger lock of shard {number} guards region {number}.", "--kind", "decision")
    (world.home / "config.toml").write_text("[hooks]\nrestore_tokens = 600\n")
    said = world.hook("session-start", session_id=T, source="startup").context
    assert "<recalled-learnings" in said
    assert "<journal-restored-context" in said
    assert len(said.encode()) <= 2400


def test_k19_resume_and_fork_are_told_no_learnings(world: World) -> None:
    """Their context is intact."""
    learn(world, LOCK)
    assert [world.hook("session-start", session_id=T, source=source).context for source in ("resume", "fork")] == ["", ""]


def test_gemini_is_told_again_what_its_resume_dropped(world: World) -> None:
    """Gemini CLI leaves the first prompt out of a resumed conversation where a session start told something with it, and keeps what later prompts brought."""
    early, later = learn(world, LOCK, "--kind", "gotcha"), learn(world, "The gallery_index holds 41 captions a page.")
    for number in range(6):
        learn(world, f"The user wants rule {number} in the changelog.", "--kind", "preference")
    events = {"session-start": "SessionStart", "prompt": "BeforeAgent"}

    def hook(role: str, **fields: Any) -> str:
        payload = {"session_id": S, "cwd": str(world.project), "hook_event_name": events[role], "timestamp": "2026-12-01T10:00:00.000Z", **fields}
        return world.hook(role, payload, host="gemini").context

    assert early not in hook("session-start", source="startup")
    assert early in hook("prompt", prompt=ASKED)
    assert later in hook("prompt", prompt="how many captions has the gallery_index?")
    resumed = hook("session-start", source="resume")
    assert "rule 5 in the changelog" in resumed
    assert early in hook("prompt", prompt=ASKED)
    assert hook("prompt", prompt=ASKED) == ""
    assert later not in hook("prompt", prompt="how many captions has the gallery_index?")


def test_restore_prints_the_learnings_that_the_hook_tells(world: World) -> None:
    """The command and the hook say the same."""
    learn(world, LOCK)
    told = world.hook("session-start", session_id=T, source="startup").context
    assert json.loads(world.journal("restore", "--json").stdout)["text"] == told


@pytest.mark.parametrize("damage", [b"", b"no database at all" * 400])
def test_without_views_there_is_silence(world: World, damage: bytes) -> None:
    """Empty and damaged views, and none, cost nobody a turn."""
    learn(world, LOCK)
    for path in world.home.glob("views.db*"):
        path.unlink()
    assert world.hook("prompt", prompt=ASKED)[:2] == (0, "")
    (world.home / "views.db").write_bytes(damage)
    assert world.hook("prompt", prompt=ASKED)[:2] == (0, "")


def test_a_recall_among_many_learnings_looks_at_a_bounded_number(world: World) -> None:
    """The rows that are compared with the prompt do not grow with the number of learnings."""
    learn(world, LOCK)
    views = sqlite3.connect(world.home / "views.db")
    views.create_function("journal_spaced", 1, lambda text: text, deterministic=True)
    views.executemany("INSERT INTO learnings (learning_id, kind, scope, text, origin) VALUES (?, 'gotcha', 'global', ?, 'person')",
                      [(f"x{number}", f"The ledger transfer lock {number}") for number in range(5000)])  # fmt: skip
    views.commit()
    compared: list[str] = []
    kept = likeness.terms_of
    likeness.terms_of = lambda text: (compared.append(text), kept(text))[1]  # type: ignore[assignment]
    try:
        learned.recall(views, ASKED, None, "2026-12-03T00:00:00.000000Z", limit=1)
    finally:
        likeness.terms_of = kept
    assert len(compared) <= 4 * learned.LOOKED_AT


def test_the_threshold_is_right_nearly_always_and_prefers_silence() -> None:
    """Floors of the table that tests/bench/recall.py prints: 59 prompts that should bring something back, 179 others."""
    found = measure(CASES, by_words(CASES))
    assert found.precision >= 0.95
    assert found.false_recall <= 0.02
    assert found.recall >= 0.9


def test_a_prompt_with_a_known_error_brings_back_its_fix(world: World) -> None:
    """Where no learning says anything: the command, the error, what was done until it passed; once."""
    common = {"cwd": str(world.project), "sessionId": S, "version": "2.1.332", "gitBranch": "main", "isSidechain": False}
    rows: list[tuple[str, str, Any, str | None]] = [("user", "u0", "fix the tests", None)]
    for number, (name, given, output, failed) in enumerate([
        ("Bash", {"command": "pytest -q"}, "ModuleNotFoundError: No module named 'ledger_core'", True),
        ("Edit", {"file_path": str(world.project / "setup.cfg")}, "ok", False), ("Bash", {"command": "pytest -q"}, "3 passed", False)]):  # fmt: skip
        rows.append(("assistant", f"a{number}", [{"type": "tool_use", "id": f"t{number}", "name": name, "input": given}], f"m{number}"))
        rows.append(("user", f"r{number}", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}], None))
    with world.transcript.open("a") as file:
        for number, (kind, uuid, content, message) in enumerate(rows):
            told = {"role": kind, "content": content} | ({"id": message, "model": "claude-haiku-4-5", "usage": {"input_tokens": 1, "output_tokens": 1}}
                                                         if message else {})  # fmt: skip
            file.write(json.dumps({"type": kind, "uuid": uuid, "timestamp": f"2026-12-01T10:00:{number:02d}.000Z", "message": told, **common}) + "\n")
    world.journal("ingest")
    told = prompt(world, "pytest says ModuleNotFoundError: No module named 'ledger_core' again", session_id=T)
    assert "`pytest -q` failed with: ModuleNotFoundError" in told
    assert f"it passed after: Edit {world.project}/setup.cfg" in told
    assert prompt(world, "pytest says ModuleNotFoundError: No module named 'ledger_core' again", session_id=T) == ""


def test_where_nothing_was_ever_learned_nothing_that_compares_is_imported(world: World) -> None:
    """A prompt costs no more than it must; with the first learning it is."""
    world.journal("ingest")
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from cli.hooks.edge import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"

    def loaded() -> set[str]:
        done = subprocess.run([sys.executable, "-I", "-c", script, "prompt", "--host", "claude"], input=json.dumps(world.payload(prompt=ASKED)).encode(),
                              capture_output=True, env=world.environment, check=True)  # fmt: skip
        return set(done.stderr.decode().split()) & {"projections.likeness", "projections.learned", "projections.fixed"}

    assert loaded() == set()
    learn(world, LOCK)
    assert loaded() >= {"projections.likeness", "projections.learned"}
