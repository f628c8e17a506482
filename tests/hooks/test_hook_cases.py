"""Cases of hooks that went wrong elsewhere: noise before the answer, decisions on the wrong stream, stops that repeat, stale paths."""

import json
import os
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest
from world import ROOT, S, World

from ingest.facts import HOSTS
from ingest.install.handlers import wanted
from ingest.install.installation import facts_of
from ingest.install.probe import prove
from journal import hook_settings
from journal.catalog import Model, Rates, dump
from journal.errors import SettingInvalid
from journal.hook_settings import HookSettings, from_table
from projections import restore


def test_e1_the_answer_is_one_json_object_and_the_command_needs_no_search_path(world: World) -> None:
    """An absolute program, ASCII, one object; with nothing to say no byte; a profile that speaks is found at install."""
    world.answered(160_000)
    said = world.hook("prompt", prompt="größer")
    assert said.stdout.isascii()
    assert said.stdout.count("\n") == 0
    assert isinstance(json.loads(said.stdout), dict)
    assert world.hook("prompt", prompt="again").stdout == ""
    for host in HOSTS:
        commands = [handler.get("command") or handler["bash"] for handler in wanted(facts_of(host), [sys.executable, "-I", "-m", "journal"]).values()]
        assert all(command.startswith("/") for command in commands)
    with pytest.raises(SettingInvalid):
        prove("echo '✅ ready'; true", os.environ)


def test_e3_a_decision_stands_on_stdout_with_status_0_and_stderr_is_empty(world: World) -> None:
    """Never both streams, never status 2."""
    world.answered(160_000)
    said = world.hook("stop")
    assert (said.status, said.stderr, said.answer["decision"]) == (0, "", "block")


@pytest.mark.parametrize("host", HOSTS)
def test_e4_twenty_stops_of_one_turn_block_at_most_once(world: World, host: str) -> None:
    """Without the loop flag our own memory ends it; with the flag no stop blocks at all."""
    world.answered(160_000)
    fields = {} if host == "claude" else {"model": "claude-haiku-4-5-20251001"}
    asked = [world.hook("stop", host=host, **fields).answer.get("decision") for _ in range(20)]
    assert len([decision for decision in asked if decision]) <= 1
    assert asked[1:] == [None] * 19
    flagged = [world.hook("stop", host=host, session_id="33333333-0000-4000-8000-000000000003", stop_hook_active=True, **fields).answer.get("decision")
               for _ in range(3)]  # fmt: skip
    assert flagged == [None] * 3


def test_e5_the_same_stop_twice_with_nothing_to_say_is_silent_twice(world: World) -> None:
    """No byte on either stream, and both calls are written down."""
    world.answered(1_000)
    assert [world.hook("stop") for _ in range(2)] == [(0, "", "")] * 2
    assert [line["role"] for line in world.lines() if line["type"] == "journal.hook"] == ["stop", "stop"]


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="the kernel counts bytes read on Linux only")
def test_e7_bw22_a_prompt_reads_no_more_of_a_long_transcript_than_of_a_short_one(world: World) -> None:
    """64 times the transcript, and not one page more is read."""
    script = (f"import sys; sys.path.insert(0, {str(ROOT)!r}); from cli.hooks.edge import main; main(['prompt', '--host', 'claude']);"
              "print(open('/proc/self/io').read().split()[1], file=sys.stderr)")  # fmt: skip
    read = []
    for times in (1, 64):
        line = json.dumps({"type": "progress", "data": "x" * 1000, "sessionId": S}) + "\n"
        world.transcript.write_text(line * 600 * times)
        world.answered(1_000)
        payload = json.dumps(world.payload(prompt="x")).encode()
        for _ in range(2):  # the first call makes what later ones find
            done = subprocess.run([sys.executable, "-I", "-c", script], input=payload, capture_output=True, env=world.environment, check=True)
        read.append(int(done.stderr.split()[-1]))
    assert abs(read[1] - read[0]) < 64 * 1024


def test_e10_a_stale_path_leads_to_the_newer_file_of_the_session(world: World) -> None:
    """The host names an older file: what it said is kept, and the file with the session's name is measured."""
    stale = world.transcript.with_name("44444444-0000-4000-8000-000000000004.jsonl")
    stale.write_text("{}\n")
    os.utime(stale, (1_700_000_000,) * 2)
    world.answered(160_000)
    assert "80 % full" in world.hook("prompt", transcript_path=str(stale), prompt="x").answer["systemMessage"]
    (line,) = [line for line in world.lines() if line["type"] == "journal.hook"]
    assert (line["payload"]["transcript_path"], line["transcript"]["path"]) == (str(stale), str(world.transcript))


def test_bw7_a_folder_whose_name_begins_alike_is_another_project(world: World) -> None:
    """What was done in `proj` never reaches a session in `proj-other`."""
    world.answered(1_000, "We decided to keep the needle because of the race.")
    world.hook("stop")
    world.journal("ingest")
    other = world.folder / "proj-other"
    other.mkdir()
    assert world.hook("session-start", session_id="33333333-0000-4000-8000-000000000003", cwd=str(other), source="startup").stdout == ""


def test_bw8_a_link_to_the_project_is_the_project(world: World) -> None:
    """A session that starts through a symlink is told what the project's last one left."""
    world.answered(1_000, "We decided to keep the needle because of the race.")
    world.hook("stop")
    world.journal("ingest")
    link = world.folder / "link"
    link.symlink_to(world.project)
    told = world.hook("session-start", session_id="33333333-0000-4000-8000-000000000003", cwd=str(link), source="startup").context
    assert "keep the needle" in told


def test_bw9_an_old_handoff_is_not_fresh_and_a_first_turn_is_not_blocked(world: World) -> None:
    """A 40-day-old text does not satisfy a stop above the threshold; below it, a project without a handoff is left in peace."""
    world.answered(1_000)
    assert world.hook("stop").stdout == ""
    (world.project / ".journal").mkdir()
    handoff = world.project / ".journal/handoff.md"
    handoff.write_text("## Current task\n" + "Finish the parser. " * 12)
    os.utime(handoff, (1_700_000_000,) * 2)
    world.answered(160_000, number=2)
    assert world.hook("stop").answer["decision"] == "block"


def test_bw13_no_storage_is_made_by_the_working_directory(world: World) -> None:
    """Hooks in a sub-folder, outside git and in the home folder leave no file there."""
    below, outside = world.project / "src", world.folder / "outside"
    below.mkdir()
    outside.mkdir()
    world.answered(1_000)
    for cwd in (below, outside, world.folder):
        for role in ("session-start", "prompt", "stop", "session-end"):
            world.hook(role, cwd=str(cwd), prompt="x", source="startup")
    assert list(below.iterdir()) == list(outside.iterdir()) == []
    assert sorted(path.name for path in world.folder.iterdir()) == [".claude", "journal", "outside", "proj", "tmp"]
    assert list((world.folder / "tmp").iterdir()) == []


def test_b81_restore_can_be_switched_off(world: World) -> None:
    """With `restore = false` a session start says nothing; the command still does."""
    world.answered(1_000, "We decided to keep the needle because of the race.")
    world.hook("stop")
    world.journal("ingest")
    (world.home / "config.toml").write_text("[hooks]\nrestore = false\n")
    assert world.hook("session-start", session_id="33333333-0000-4000-8000-000000000003", source="startup").stdout == ""
    assert "keep the needle" in world.journal("restore").stdout


def test_b81_the_parts_of_a_card_are_settings(world: World) -> None:
    """Two of three decisions and no prompt, in hook and command alike; what is left out is said, and `--all` tells it."""
    world.answered(1_000, "We decided to keep one. We decided to keep two. We decided to keep three.")
    world.hook("stop")
    world.journal("ingest")
    (world.home / "config.toml").write_text("[hooks]\ncard = { decision = 2, prompt = 0, answer = 0 }\n")
    for told in (world.hook("session-start", session_id="33333333-0000-4000-8000-000000000003", source="startup").context, world.journal("restore").stdout):
        assert told.count("- We decided to keep") == 2
        assert "- [1 of 3 left out by the setting card.decision]" in told
        assert "Last prompts" not in told
    assert "Last answer:" in (told := world.journal("restore", "--all").stdout)
    assert "- We decided to keep three.\n" in told


def test_b81_the_kinds_of_the_setting_are_those_of_a_card() -> None:
    """What is told of a session can each be set."""
    assert set(hook_settings.CARD_KINDS) == set(restore.KINDS)


@pytest.mark.parametrize("line", [
    "card = { decisions = 2 }", "card = 3", "card = { file = -1 }", "listed_days = -1", 'interval_min = "abc"', "thresholds = [1.5, 0]",
    'stop_mode = "always"', "restore_token = 5", "context_limit = -1",
])  # fmt: skip
def test_bw11_a_setting_that_cannot_be_used_is_named(world: World, line: str) -> None:
    """Commands refuse the file and name the setting; hooks go on with the defaults and write down why."""
    world.answered(160_000)
    world.journal("ingest")
    (world.home / "config.toml").write_text(f"[hooks]\n{line}\n")
    said = world.journal("context", S)
    assert said.status == 2
    assert f"hooks.{line.split(maxsplit=1)[0]}" in said.stderr
    assert world.hook("prompt", prompt="x").answer != {}
    assert any(line["type"] == "journal.hook_failed" for line in world.lines())


def test_bw28_a_long_last_record_hides_no_usage(world: World) -> None:
    """Behind six megabytes of a tool's output the views still know the last figure; a sub-agent's record changes nothing."""
    world.answered(160_000)
    world.journal("ingest")
    side = {"type": "assistant", "uuid": "s1", "isSidechain": True, "sessionId": S, "message": {
        "id": "s1", "model": "claude-haiku-4-5", "content": [], "usage": {"input_tokens": 10, "output_tokens": 1}}}  # fmt: skip
    with world.transcript.open("a") as file:
        file.write(json.dumps(side) + "\n" + json.dumps({"type": "progress", "data": "x" * 6_000_000, "sessionId": S}) + "\n")
    assert "80 % full" in world.hook("prompt", prompt="x").answer["systemMessage"]


def test_the_page_on_continuity_shows_every_setting_with_its_default() -> None:
    """docs/how-to/keep-the-context.md: its block reads, names all settings (one as a comment), and gives what holds without it."""
    page = (ROOT / "docs/how-to/keep-the-context.md").read_text()
    block = page[page.index("    [hooks]\n") : page.index("A line that cannot be used")]
    given = tomllib.loads(textwrap.dedent(block))["hooks"]
    default = HookSettings()
    shown = from_table(given)
    assert {name: getattr(shown, name) for name in given} == {name: getattr(default, name) for name in given}
    assert {*given, "context_limit"} == set(HookSettings.__slots__)
    assert "# context_limit = " in block


def test_b39_b42_a_refreshed_catalog_gives_the_window_of_exactly_its_models(world: World) -> None:
    """A model that no table knows: its row counts in hook and command alike; a damaged file is as good as none."""
    path = world.folder / ".cache/journal/models.json"
    path.parent.mkdir(parents=True)
    model = Model("kimi-k2", Rates(1.0, 2.0, None, None, None), 200_000, "", None, None)
    path.write_text(dump({"kimi-k2-mini": model._replace(model_id="kimi-k2-mini", context_window=1_000), "kimi-k2": model}, "2026-12-01", "https://x"))
    world.answered(160_000, model="kimi-k2")
    assert "160k of 200k tokens, window from the model catalog" in world.hook("prompt", prompt="x").answer["systemMessage"]
    world.journal("ingest")
    found = json.loads(world.journal("context", S, "--json").stdout)
    assert (found["window_tokens"], found["window_source"]) == (200_000, "catalog")
    path.write_text('{"models": {"kimi-k2": [1, 2')
    assert "is not known" in world.hook("prompt", session_id="33333333-0000-4000-8000-000000000003", prompt="x").answer["systemMessage"]


def test_bw11_config_shows_what_is_in_force_and_where_it_comes_from(world: World) -> None:
    """A setting of the file with the file's name, the others as defaults; a file that is wrong is refused and named."""
    file = world.home / "config.toml"
    file.write_text("[hooks]\nthresholds = [60, 0.9]\n")
    found = {row["setting"]: (row["value"], row["from"]) for row in json.loads(world.journal("config", "--json").stdout)["hooks"]}
    assert found["hooks.thresholds"] == ([0.6, 0.9], str(file))
    assert found["hooks.interval_min"] == (5, "default")
    assert set(found) == {f"hooks.{name}" for name in HookSettings.__slots__}
    file.write_text("[hooks]\ninterval_min = 'abc'\n")
    said = world.journal("config")
    assert (said.status, "hooks.interval_min" in said.stderr) == (2, True)
