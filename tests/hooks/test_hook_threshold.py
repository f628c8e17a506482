"""The context threshold: told once to user and agent, a handoff asked for once, armed again when the context is another."""

import json
import subprocess
import sys
import time

import pytest
from world import S, World

from cli.hooks.history import History
from cli.hooks.views import Views
from journal import inbox
from journal.home import open_home
from journal.moments import seconds_of
from projections import context


def test_e4_a_crossing_is_told_once_in_twenty_turns_without_any_ingest(world: World) -> None:
    """E4, DESIGN 6: 20 turns above the threshold, one alert at the first prompt, one request at the first stop."""
    world.answered(150_100)
    told, asked = [], []
    for turn in range(20):
        told.append(bool(world.hook("prompt", prompt="go on").answer))
        asked.append(world.hook("stop").answer.get("decision"))
        world.answered(150_200 + turn, number=turn + 2)
    assert told == [True] + [False] * 19
    assert asked == ["block"] + [None] * 19


def test_the_alert_says_how_full_it_is_and_names_the_handoff(world: World) -> None:
    """The user reads the figures, the agent the request with path and headings; the folder ignores itself."""
    world.answered(161_000)
    answer = world.hook("prompt", prompt="x").answer
    assert answer["systemMessage"].startswith("journal: the context is 81 % full: 161k of 200k tokens, window from a built-in table.")
    told = answer["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert f"{world.project}/.journal/handoff.md" in told["additionalContext"]
    headings = ("Current task", "Status", "Remaining", "Decisions", "Risks", "Open questions", "Sources of truth", "Next steps")
    assert ", ".join(f"`## {heading}`" for heading in headings) in told["additionalContext"]
    assert "Markdown of at most 800 tokens" in told["additionalContext"]
    assert "Name files and lines instead of copying them" in told["additionalContext"]
    assert "advise the user to start a new session soon" in told["additionalContext"]
    assert (world.project / ".journal/.gitignore").read_text() == "*\n"
    assert world.git("status", "--porcelain") == ""


def test_below_the_threshold_nothing_is_said(world: World) -> None:
    """At 149,999 of 200,000 tokens nothing is said, at 150,000 it is; the pending prompt counts a quarter of its bytes."""
    world.answered(149_900)
    assert world.hook("prompt", prompt="x" * 396).stdout == ""
    assert world.hook("prompt", prompt="x" * 400).answer != {}


def test_c18_a_compaction_arms_the_threshold_again(world: World) -> None:
    """After a compaction the use is unknown and nothing is said; when it fills again, it is told again."""
    world.answered(160_000)
    assert world.hook("prompt", prompt="x").answer != {}
    world.compacted()
    assert world.hook("prompt", prompt="x").answer == {}
    world.answered(40_000, number=2)
    assert world.hook("prompt", prompt="x").answer == {}
    world.answered(170_000, number=3)
    assert world.hook("prompt", prompt="x").answer != {}


def test_a_stop_with_the_loop_flag_never_blocks(world: World) -> None:
    """E4: `stop_hook_active` lets the agent stop, whatever else is so."""
    world.answered(160_000)
    assert world.hook("stop", stop_hook_active=True).answer.get("decision") is None


def test_a_fresh_handoff_is_not_asked_for(world: World) -> None:
    """A handoff of 200 bytes or more, written after the alert, satisfies the stop; a stub does not."""
    world.answered(160_000)
    world.hook("prompt", prompt="x")
    time.sleep(0.01)
    handoff = world.project / ".journal/handoff.md"
    handoff.write_text("## Current task\n" + "Finish the parser. " * 12)
    assert world.hook("stop").answer == {}
    handoff.write_text("x")
    assert world.hook("stop").answer["decision"] == "block"


@pytest.mark.parametrize(("mode", "expected"), [("never", [None, None]), ("every-turn", ["block", "block"]), ("threshold", [None, None])])
def test_the_stop_mode_is_a_setting(world: World, mode: str, expected: list[str | None]) -> None:
    """Far below the threshold `every-turn` asks once a turn, the others never."""
    (world.home / "config.toml").write_text(f'[hooks]\nstop_mode = "{mode}"\n')
    world.answered(1_000)
    asked = []
    for _ in range(2):
        world.hook("prompt", prompt="x")
        asked.append(world.hook("stop").answer.get("decision"))
        assert world.hook("stop").answer.get("decision") is None
    assert asked == expected


def test_c17_an_unknown_model_is_asked_for_once_and_never_guessed(world: World) -> None:
    """The user is told once that the window is not known; with the setting it is known at once."""
    world.answered(160_000, model="kimi-k2")
    assert "the context window of kimi-k2 is not known" in world.hook("prompt", prompt="x").answer["systemMessage"]
    assert world.hook("prompt", prompt="x").stdout == ""
    (world.home / "config.toml").write_text("[hooks]\ncontext_limit = 200000\n")
    assert "160k of 200k tokens, window your setting" in world.hook("prompt", prompt="x").answer["systemMessage"]


def test_several_thresholds_are_told_one_after_the_other(world: World) -> None:
    """At 60 % and 90 % each is told when it is crossed; jumping over both tells the higher one alone."""
    (world.home / "config.toml").write_text("[hooks]\nthresholds = [0.6, 90]\n")
    said = []
    for number, used in enumerate((110_000, 125_000, 130_000, 185_000, 190_000), 1):
        world.answered(used, number=number)
        said.append(bool(world.hook("prompt", prompt="").answer))
    assert said == [False, True, False, True, False]


def test_b45_adaptive_thresholds_sink_with_every_compaction(world: World) -> None:
    """Told at 75 % at first, after one compaction at 70 %, after four and more at 40 %; hooks that see one compaction count it once."""
    (world.home / "config.toml").write_text("[hooks]\nadaptive = true\n")
    told, number = [], 0
    for share in (0.75, 0.70, 0.60, 0.50, 0.40, 0.40):
        said = []
        for used in (int(share * 200_000) - 1, int(share * 200_000)):
            number += 1
            world.answered(used, number=number)
            said.append(bool(world.hook("prompt", prompt="").answer))
        told.append(said)
        world.compacted()
        for _ in range(2):
            assert world.hook("prompt", prompt="").answer == {}
    assert told == [[False, True]] * 6


def test_without_the_setting_compactions_change_no_threshold(world: World) -> None:
    """75 % stays 75 %."""
    world.compacted()
    world.hook("prompt", prompt="")
    world.answered(149_999)
    assert world.hook("prompt", prompt="").answer == {}


def test_e15_sixty_hooks_at_once_tell_once_and_lose_nothing(world: World) -> None:
    """E15: 60 processes on one session at the same moment: one alert, 60 payloads, 60 measures."""
    world.answered(160_000)
    payload = json.dumps(world.payload(prompt="x")).encode()
    command = [sys.executable, "-m", "journal", "hook", "prompt", "--host", "claude"]
    running = []
    for _ in range(60):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=world.environment, cwd=world.folder)
        running.append(process)
        assert process.stdin is not None
        process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None
    said = [process.communicate()[0] for process in running]
    assert sum(1 for text in said if text) == 1
    assert {process.returncode for process in running} == {0}
    kinds = [line["type"] for line in world.lines()]
    assert (kinds.count("journal.hook"), kinds.count("journal.context")) == (60, 60)


def test_a_request_above_the_assumed_window_proves_it_wrong() -> None:
    """A table's 200,000 tokens cannot hold 210,000: the window is unknown then; a setting is believed."""
    assert context.window(None, None, "claude-haiku-4-5", 150_000).tokens == 200_000
    assert context.window(None, None, "claude-haiku-4-5", 210_000).source == "unknown"
    assert context.window(100_000, None, "claude-haiku-4-5", 150_000).source == "setting"


@pytest.mark.parametrize(("model", "tokens"), [
    ("claude-opus-4-20250514", 200_000), ("claude-opus-4-8", 1_000_000), ("kimi-k2", None), ("claude-opus-4-8x", None), ("claude-sonnet-5", 1_000_000),
    ("claude-sonnet-4-5-20250929[1m]", 1_000_000), ("gemini-2.5-pro", 1_048_576), ("", None),
])  # fmt: skip
def test_c17_windows_are_known_by_exact_id_or_longest_beginning(model: str, tokens: int | None) -> None:
    """No substring of another model's name gives a window."""
    assert context.window(None, None, model, None).tokens == tokens


def test_c15_the_newest_window_of_the_host_counts(world: World) -> None:
    """Codex tells two windows in one rollout: the newest with the newest use; the cumulative total plays no part (C14)."""
    def count(total: int, last: int, window: int) -> str:
        usage = {"input_tokens": last, "cached_input_tokens": 0, "output_tokens": 0, "total_tokens": last}
        info = {"total_token_usage": {**usage, "total_tokens": total}, "last_token_usage": usage, "model_context_window": window}
        return json.dumps({"timestamp": "2026-12-01T10:00:00.000Z", "type": "event_msg", "payload": {"type": "token_count", "info": info}}) + "\n"

    world.transcript.write_text(count(100_000, 100_000, 121_600) + count(962_000, 12_000, 258_400))
    assert world.hook("prompt", host="codex", prompt="x").answer == {}
    measured = [line for line in world.lines(".state") if line["type"] == "journal.context"]
    assert [(line["used"], line["window"], line["window_source"]) for line in measured] == [(12_001, 258_400, "host")]


def test_the_session_of_hooks_alone_is_marked_empty(world: World) -> None:
    """A session without a transcript is in the list of all, as empty, and in no other list."""
    world.hook("session-start", source="startup")
    assert world.journal("ingest").status == 0
    listed = json.loads(world.journal("sessions", "--all", "--json").stdout)["sessions"]
    assert [(row["session_id"], row["kind"], row["state"]) for row in listed] == [(S, "empty", "empty")]
    assert json.loads(world.journal("sessions", "--json").stdout)["sessions"] == []


def test_of_two_hooks_at_once_the_one_that_wrote_first_speaks_though_the_other_began_first(world: World) -> None:
    """Both read one order of claims, that of the file: otherwise the slower one, with the earlier time, would speak as well."""
    home = open_home(str(world.home))
    for at, nonce in (("2026-12-03T10:00:00.200000Z", "fast"), ("2026-12-03T10:00:00.100000Z", "slow")):
        claim: dict[str, object] = {"type": "journal.hook_answered", "kind": "alert", "threshold": 0.75, "nonce": nonce, "at": at, "session_id": S}
        inbox.append(home, S, "2026-12-03", claim, kind=".state")
    now = seconds_of("2026-12-03T10:00:01.000000Z")
    assert now is not None
    lines = History(Views(""), home, S).lines(now)
    assert [context.first_claim(lines, "alert", 0.75, nonce, (0.75,)) for nonce in ("fast", "slow")] == [True, False]


def test_a_model_is_warned_of_before_the_point_at_which_its_host_compacts(world: World) -> None:
    """Once a compaction by the host was seen at 120,000 of 200,000 tokens, user and agent are told at nine tenths of that, and `context` says so."""
    world.answered(119_000)
    world.compacted(120_000)
    world.journal("ingest")
    world.answered(107_999, number=2)
    assert world.hook("prompt", prompt="").answer == {}
    world.answered(108_000, number=3)
    told = world.hook("prompt", prompt="").answer["systemMessage"]
    assert told.startswith("journal: the context is 54 % full: 108k of 200k tokens, window from a built-in table; the host last compacted this model's at")
    assert " at 120k. " in told
    world.journal("ingest")
    found = json.loads(world.journal("context", "latest", "--json").stdout)
    assert (found["auto_compact_tokens"], found["thresholds"], [alert["threshold"] for alert in found["alerts"]]) == (120_000, [0.54], [0.54])


@pytest.mark.parametrize(("thresholds", "point", "expected"), [
    ((0.75,), None, (0.75,)), ((0.75,), 190_000, (0.75,)), ((0.75,), 150_000, (0.675,)), ((0.5, 0.75, 0.9), 150_000, (0.5, 0.675)),
    ((0.75,), 39_999, (0.75,)), ((0.75,), 200_001, (0.75,)),
])  # fmt: skip
def test_no_threshold_is_behind_the_hosts_own_compaction(thresholds: tuple[float, ...], point: int | None, expected: tuple[float, ...]) -> None:
    """Each is lowered to nine tenths of the point; a point that cannot be of this window is none."""
    assert context.before_compaction(thresholds, point, 200_000) == expected
    assert context.before_compaction(thresholds, point, None) == thresholds


def test_the_long_window_of_the_first_hook_holds_for_the_session(world: World) -> None:
    """Claude Code names the window in the session start's model alone; transcripts leave the ending out."""
    world.hook("session-start", source="startup", model="claude-sonnet-4-5[1m]")
    world.answered(160_000, model="claude-sonnet-4-5")
    assert world.hook("prompt", prompt="").answer == {}
    world.answered(760_000, model="claude-sonnet-4-5", number=2)
    told = world.hook("prompt", prompt="").answer["systemMessage"]
    assert told.startswith("journal: the context is 76 % full: 760k of 1M tokens, window as the host reports it")
    world.journal("ingest")
    found = json.loads(world.journal("context", "latest", "--json").stdout)
    assert (found["window_tokens"], found["window_source"], found["percent"]) == (1_000_000, "host", 76.0)
    assert json.loads(world.journal("snapshots", "--all", "--json").stdout)["snapshots"] == []


def test_another_model_than_that_of_the_first_hook_has_its_own_window(world: World) -> None:
    """After a change of the model the ending says nothing."""
    world.hook("session-start", source="startup", model="claude-sonnet-4-5[1m]")
    world.answered(160_000, model="claude-haiku-4-5")
    assert "160k of 200k" in world.hook("prompt", prompt="").answer["systemMessage"]


def test_another_window_arms_the_threshold_again(world: World) -> None:
    """Told at 80 % of 200,000 tokens, and again once the window is another one and the use is above its threshold."""
    world.answered(160_000)
    assert "of 200k tokens" in world.hook("prompt", prompt="").answer["systemMessage"]
    (world.home / "config.toml").write_text("[hooks]\ncontext_limit = 180000\n")
    assert "160k of 180k tokens, window your setting" in world.hook("prompt", prompt="").answer["systemMessage"]
    assert world.hook("prompt", prompt="").answer == {}


def test_a_new_session_has_thresholds_of_its_own(world: World) -> None:
    """What one session was told of is told to another as well; so is a session that was cleared."""
    world.answered(160_000)
    assert world.hook("prompt", prompt="").answer != {}
    other = world.transcript.with_name("22222222-0000-4000-8000-000000000002.jsonl")
    other.write_text(world.transcript.read_text().replace(S, other.stem))
    told = world.hook("prompt", prompt="", session_id=other.stem, transcript_path=str(other)).answer
    assert "160k of 200k tokens" in told["systemMessage"]
    world.hook("session-start", source="clear")
    assert world.hook("prompt", prompt="").answer != {}
