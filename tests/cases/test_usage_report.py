"""The command `usage`: days of a zone, sub-agents with their parents, costs, and equality with tables made by hand."""

import csv
import io
import json
import shutil
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from archive import Archive, answer, claude, codex, token_count

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
from generate import generate

FIXTURES = Path(__file__).parent.parent / "fixtures"
S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def used(archive: Archive, *moments: str, session: str = S, model: str = "claude-opus-5-5", usage: dict[str, Any] | None = None, first: int = 1) -> None:
    """Write a session with one answer at each moment, each of 10 input and 5 output tokens where *usage* says nothing else."""
    archive.write(archive.claude_path(session), *(
        answer(first + n, session, f"a{n}", f"m{first + n}", usage, model=model, timestamp=moment) for n, moment in enumerate(moments)))  # fmt: skip


def keys(archive: Archive, *words: str) -> list[tuple[str, int]]:
    """Return key and number of responses of every row."""
    return [(row["key"], row["responses"]) for row in archive.json("usage", *words)["rows"]]


@pytest.mark.parametrize(("zone", "days"), [
    ("UTC", [("2026-01-24", 1), ("2026-01-25", 2)]),
    ("America/Los_Angeles", [("2026-01-24", 2), ("2026-01-25", 1)]),
    ("Asia/Kathmandu", [("2026-01-25", 3)]),
])  # fmt: skip
def test_i1_days_are_of_the_chosen_zone(archive: Archive, zone: str, days: list[tuple[str, int]]) -> None:
    """04:08Z is the evening before in Los Angeles; 18:16Z is after midnight in Kathmandu, at 00:01."""
    used(archive, "2026-01-24T18:16:00.000Z", "2026-01-25T04:08:00.000Z", "2026-01-25T08:00:00.000Z")
    archive.ingest()
    assert keys(archive, "--timezone", zone) == days


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Niue"])
def test_i1_today_is_of_the_same_zone(archive: Archive, zone: str) -> None:
    """25 hours apart, these zones never have the same date: `today` begins and is named as the chosen one says."""
    now = datetime.now(ZoneInfo(zone))
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    moments = [(at.astimezone(UTC)).isoformat().replace("+00:00", "Z") for at in (midnight - timedelta(seconds=1), midnight)]
    used(archive, *moments)
    archive.ingest()
    assert keys(archive, "--timezone", zone, "--since", "today") == [(now.date().isoformat(), 1)]
    assert keys(archive, "--timezone", zone) == [((now.date() - timedelta(days=1)).isoformat(), 1), (now.date().isoformat(), 1)]


def test_usage_and_stats_of_one_project(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its path, its name or the current directory; a sub-agent without a project counts for its parent's; a name that two have lists both."""
    one, two, twin = "/home/dev/one", "/home/dev/two", "/home/other/two"
    for number, (session, cwd) in enumerate(((S, one), (T, two), (S.replace("a", "c"), twin))):
        archive.write(archive.claude_path(session), claude(number * 10, session, "go", cwd=cwd), answer(number * 10 + 1, session, "ok", f"m{number}", cwd=cwd))
    below = archive.claude_path(S).with_suffix("") / "subagents" / "agent-a1.jsonl"
    archive.write(below, answer(5, S, "found", "m8", isSidechain=True, agentId="a1", cwd=None))
    archive.ingest()
    responses = {name: keys(archive, "--project", name, "--timezone", "UTC") for name in (one, "one", twin)}
    assert responses == {one: [("2026-11-30", 2)], "one": [("2026-11-30", 2)], twin: [("2026-11-30", 1)]}
    assert keys(archive, "--timezone", "UTC") == [("2026-11-30", 4)]
    assert archive.json("stats", "--project", two)["hosts"] == [{"host": "claude", "sessions": 1, "prompts": 1, "answers": 1, "tool_calls": 0}]
    status, _, told = archive.run("usage", "--project", "two", "--json")
    assert (status, json.loads(told)["candidates"]) == (4, [two, twin])
    assert archive.run("usage", "--project", "nowhere")[0] == 4
    monkeypatch.chdir(tmp_path)
    assert archive.run("stats", "--project")[0] == 4


def test_i1_without_a_zone_days_are_of_the_system(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    """TZ decides where --timezone is not given, and the answer names the zone."""
    import time

    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        used(archive, "2026-01-24T18:14:59.999Z", "2026-01-24T18:15:00.000Z")
        archive.ingest()
        assert keys(archive) == [("2026-01-24", 1), ("2026-01-25", 1)]
        assert archive.json("usage")["timezone"] == "Asia/Kathmandu"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_i1_days_of_23_and_25_hours(archive: Archive) -> None:
    """Los Angeles: 8 March 2026 ends an hour early in UTC, 1 November 2026 has 01:30 twice, told apart by the offset."""
    used(archive, "2026-03-08T07:59:59.000Z", "2026-03-08T08:00:00.000Z", "2026-03-09T06:59:59.000Z", "2026-03-09T07:00:00.000Z",
         "2026-11-01T08:30:00.000Z", "2026-11-01T09:30:00.000Z", "2026-11-02T07:59:59.000Z", "2026-11-02T08:00:00.000Z")  # fmt: skip
    archive.ingest()
    zone = ("--timezone", "America/Los_Angeles")
    assert keys(archive, *zone) == [("2026-03-07", 1), ("2026-03-08", 2), ("2026-03-09", 1), ("2026-11-01", 3), ("2026-11-02", 1)]
    assert keys(archive, "--by", "hour", "--since", "2026-11-01", "--until", "2026-11-01", *zone) == [
        ("2026-11-01T01:00-07:00", 1), ("2026-11-01T01:00-08:00", 1), ("2026-11-01T23:00-08:00", 1)]  # fmt: skip


def test_weeks_begin_on_monday_and_months_are_of_the_chosen_zone(archive: Archive) -> None:
    """Sunday and Monday are two weeks; the last of December belongs to the first week of the next year; midnight is that of the zone."""
    for number, at in ((1, "2026-11-29T23:30:00.000Z"), (3, "2026-11-30T00:30:00.000Z"), (5, "2024-12-31T12:00:00.000Z")):
        archive.write(archive.claude_path(S), answer(number, S, "x", f"m{number}", timestamp=at), append=True)
    archive.ingest()

    def keys(by: str, zone: str) -> list[tuple[str, int]]:
        return [(row["key"], row["responses"]) for row in archive.json("usage", "--by", by, "--timezone", zone)["rows"]]

    assert keys("week", "UTC") == [("2025-W01", 1), ("2026-W48", 1), ("2026-W49", 1)]
    assert keys("week", "Europe/Berlin") == [("2025-W01", 1), ("2026-W49", 2)]
    assert keys("month", "UTC") == [("2024-12", 1), ("2026-11", 2)]


def test_a_table_of_sessions_begins_with_the_most_and_names_them(archive: Archive) -> None:
    """For people: titles, and the session with most tokens first; for programs the order of keys."""
    archive.write(archive.claude_path(S), claude(1, S, "little work"), answer(2, S, "x", "m1"))
    much = {"input_tokens": 1000, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 5}
    archive.write(archive.claude_path(T), claude(3, T, "much work"), answer(4, T, "x", "m2", usage=much))
    archive.ingest()
    lines = archive.run("usage", "--by", "session")[1].splitlines()
    assert [line.split()[0] for line in lines] == ["session", T, S, "total"]
    assert (" much work " in lines[1], " little work " in lines[2]) == (True, True)
    assert [row["key"] for row in archive.json("usage", "--by", "session")["rows"]] == [S, T]


def test_since_and_until_are_of_the_same_zone(archive: Archive) -> None:
    """A day as --until counts as a whole, in the zone; a time is exact."""
    used(archive, "2026-01-24T18:14:59.000Z", "2026-01-24T18:15:00.000Z", "2026-01-25T18:14:59.000Z", "2026-01-25T18:15:00.000Z")
    archive.ingest()
    assert keys(archive, "--timezone", "Asia/Kathmandu", "--since", "2026-01-25", "--until", "2026-01-25") == [("2026-01-25", 2)]
    assert keys(archive, "--timezone", "UTC", "--since", "2026-01-24T18:15:00") == [("2026-01-24", 1), ("2026-01-25", 2)]


@pytest.mark.parametrize("words", [("--timezone", "Mars/Olympus"), ("--timezone", "../../etc/passwd"), ("--since", "soon"), ("--until", "2026-13-01")])
def test_zones_and_times_that_are_none_are_refused(archive: Archive, words: tuple[str, str]) -> None:
    """Exit 2 with a hint, not a traceback and not an empty answer."""
    used(archive, "2026-01-24T18:14:59.000Z")
    archive.ingest()
    status, out, err = archive.run("usage", *words, "--json")
    assert (status, out) == (2, "")
    assert json.loads(err)["hint"]


def test_sub_agents_count_for_the_session_at_the_top_with_their_own_model(archive: Archive) -> None:
    """A session, its agent and a nested agent are two rows of one key: one for each model."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "main", "m1"))
    folder = archive.claude_path(S).with_suffix("") / "subagents"
    for number, name, place in ((10, "a", folder), (20, "b", folder / "workflows/wf_x")):
        side = {"isSidechain": True, "agentId": name}
        archive.write(place / f"agent-{name}.jsonl", claude(number, S, "do", **side),
                      answer(number + 1, S, name, f"m-{name}", model="claude-haiku-4-5", **side))  # fmt: skip
    archive.ingest()
    rows = archive.json("usage", "--by", "session")["rows"]
    assert [(row["key"], row["model"], row["responses"], row["total_tokens"]) for row in rows] == [
        (S, "claude-haiku-4-5", 2, 30), (S, "claude-opus-5-5", 1, 15)]  # fmt: skip
    assert [(row["key"], row["responses"]) for row in archive.json("usage", "--by", "project")["rows"]] == [("/home/dev/proj", 2), ("/home/dev/proj", 1)]
    assert keys(archive, "--by", "host") == [("claude", 2), ("claude", 1)]


def test_cache_writes_cost_by_their_age(archive: Archive) -> None:
    """Opus 5.5, million by million: 4 in, 20 out, 0.2 read, 5 written for minutes, 8 for an hour."""
    usage = {"input_tokens": 1_000, "output_tokens": 2_000, "cache_read_input_tokens": 100_000, "cache_creation_input_tokens": 30_000,
             "cache_creation": {"ephemeral_5m_input_tokens": 20_000, "ephemeral_1h_input_tokens": 10_000}}  # fmt: skip
    used(archive, "2026-01-25T08:00:00.000Z", usage=usage)
    archive.ingest()
    answered = archive.json("usage", "--timezone", "UTC")
    assert answered["rows"] == [{
        "key": "2026-01-25", "model": "claude-opus-5-5", "input_tokens": 1_000, "output_tokens": 2_000, "cache_read_tokens": 100_000,
        "cache_write_tokens": 30_000, "cache_write_1h_tokens": 10_000, "reasoning_tokens": 0, "total_tokens": 133_000, "responses": 1,
        "estimated_responses": 0, "cost_usd": 0.244, "cost_at_least_usd": 0.244, "unpriced": [],
    }]  # fmt: skip
    assert answered["totals"]["cost_usd"] == 0.244  # 0.004 + 0.04 + 0.02 + 0.1 + 0.08


def test_an_unknown_price_is_unknown_and_never_nothing(archive: Archive) -> None:
    """A model without a price has no cost, the sum says what it is at least, and people read `?` and `≥`."""
    used(archive, "2026-01-25T08:00:00.000Z", usage={"input_tokens": 250_000, "output_tokens": 0})
    used(archive, "2026-01-25T09:00:00.000Z", session=T, model="mystery-9", first=50)
    archive.ingest()
    answered = archive.json("usage", "--by", "model")
    assert [(row["model"], row["cost_usd"], row["cost_at_least_usd"], row["unpriced"]) for row in answered["rows"]] == [
        ("claude-opus-5-5", 1.0, 1.0, []), ("mystery-9", None, 0.0, ["input", "output"])]  # fmt: skip
    assert (answered["totals"]["cost_usd"], answered["totals"]["cost_at_least_usd"]) == (None, 1.0)
    status, out, err = archive.run("usage", "--by", "model")
    assert [line.split()[-1] for line in out.splitlines()] == ["USD", "1.00", "?", "≥1.00"]
    assert (status, 'no price of input, output is known for mystery-9; run: journal catalog refresh' in err) == (0, True)


def test_the_users_price_wins(archive: Archive) -> None:
    """A price in config.toml holds for an unknown model and over a known one; a bad one is an error that names it."""
    used(archive, "2026-01-25T08:00:00.000Z", usage={"input_tokens": 1_000_000, "output_tokens": 1_000_000})
    used(archive, "2026-01-25T09:00:00.000Z", session=T, model="mystery-9", usage={"input_tokens": 1_000_000, "output_tokens": 0}, first=50)
    archive.ingest()
    settings = archive.home / "config.toml"
    settings.write_text('[prices."mystery-9"]\ninput = 7\n[prices."claude-opus-5-5"]\noutput = 0\n')
    assert [(row["model"], row["cost_usd"]) for row in archive.json("usage", "--by", "model")["rows"]] == [("claude-opus-5-5", 4.0), ("mystery-9", 7.0)]
    settings.write_text('[prices."mystery-9"]\ninput = "free"\n')
    status, _, err = archive.run("usage")
    assert (status, '[prices."mystery-9"]' in err) == (2, True)


def test_a_long_prompt_costs_more_and_only_that_response(archive: Archive) -> None:
    """GPT-5.5 above 272,000 tokens of prompt: 10 for a million instead of 5; a session's running total is never taken for a prompt."""
    reports = [("token_usage_record", {"response_id": f"r{size}", "usage": {"input_tokens": size, "output_tokens": 0}}) for size in (272_000, 273_000)]
    archive.write(archive.codex_path(S), codex(S, reports))
    archive.write(archive.codex_path(T), codex(T, [token_count((200_000, 0, 0, 0), None), token_count((400_000, 0, 0, 0), None)]))
    archive.ingest()
    assert {row["key"]: row["cost_usd"] for row in archive.json("usage", "--by", "session")["rows"]} == {S: 1.36 + 2.73, T: 2.0}


def test_csv_has_the_keys_of_the_rows(archive: Archive) -> None:
    """The CSV reads back to what --json says; an unknown cost is an empty field."""
    used(archive, "2026-01-25T08:00:00.000Z", model="mystery-9")
    archive.ingest()
    status, out, _ = archive.run("usage", "--csv", "--timezone", "UTC")
    rows = list(csv.DictReader(io.StringIO(out, newline="")))
    expected = archive.json("usage", "--timezone", "UTC")["rows"]
    assert status == 0
    assert list(rows[0]) == list(expected[0])
    assert [(row["key"], row["input_tokens"], row["cost_usd"], row["unpriced"]) for row in rows] == [("2026-01-25", "10", "", "input output")]


def test_nothing_used_is_said(archive: Archive) -> None:
    """An empty span is an empty answer with exit 0, and people read what to do."""
    used(archive, "2026-01-25T08:00:00.000Z")
    archive.ingest()
    status, out, err = archive.run("usage", "--since", "2027-01-01")
    assert (status, out, "no tokens were used" in err) == (0, "", True)
    assert archive.json("usage", "--since", "2027-01-01")["totals"]["cost_usd"] == 0.0


RECORDED = {
    # input, output, cache read, cache write, reasoning, responses: summed by hand from the lines of the recordings
    "claude/auto_compact": (1212, 168, 990600, 5340, 0, 2), "claude/compact": (36, 234, 16800, 1020, 0, 3), "claude/error": (0, 0, 0, 0, 0, 0),
    "claude/hook_failures": (36, 234, 16800, 1020, 0, 3), "claude/inject": (48, 312, 22400, 1360, 0, 4),
    "claude/interactive": (60, 313, 28000, 1700, 0, 5), "claude/killed": (24, 156, 11200, 680, 0, 2),
    "claude/prompt_blocked": (0, 0, 0, 0, 0, 0), "claude/stop_block": (24, 156, 11200, 680, 0, 2), "claude/subagent": (48, 312, 22400, 1360, 0, 4),
    "claude/tool_denied": (24, 156, 11200, 680, 0, 2), "claude/turns": (116, 679, 53800, 3060, 0, 9),
    "codex/auto_compact": (1995600, 324, 22400, 0, 80, 4), "codex/codemode_auto_compact": (1995600, 324, 22400, 0, 80, 4),
    "codex/codemode_killed": (800, 156, 11200, 0, 40, 2), "codex/codemode_subagent": (2000, 390, 28000, 0, 100, 5),
    "codex/codemode_turns": (3600, 702, 50400, 0, 180, 9), "codex/error": (0, 0, 0, 0, 0, 0), "codex/hook_failures": (1200, 234, 16800, 0, 60, 3),
    "codex/inject": (1200, 234, 16800, 0, 60, 3), "codex/interactive": (2400, 468, 33600, 0, 120, 6), "codex/killed": (800, 156, 11200, 0, 40, 2),
    "codex/prompt_blocked": (0, 0, 0, 0, 0, 0), "codex/stop_block": (800, 156, 11200, 0, 40, 2), "codex/subagent": (2000, 390, 28000, 0, 100, 5),
    "codex/tool_denied": (800, 156, 11200, 0, 40, 2), "codex/trust": (800, 156, 11200, 0, 40, 2), "codex/turns": (3600, 702, 50400, 0, 180, 9),
    "codex/untrusted": (400, 78, 5600, 0, 20, 1), "gemini/auto_compress": (939398, 336, 52873, 0, 0, 8), "gemini/inject": (18528, 126, 18526, 0, 0, 3),
    "gemini/interactive": (52131, 336, 52130, 0, 0, 8), "gemini/legacy": (6140, 44, 6130, 0, 0, 2), "gemini/rewind": (25820, 168, 25818, 0, 0, 4),
    "gemini/subagent": (15667, 175, 15666, 0, 7, 4), "gemini/untrusted": (4151, 42, 4151, 0, 0, 1),
    "copilot/auto_compact": (106842, 484, 106841, 0, 50, 10), "copilot/inject": (24830, 168, 24826, 0, 20, 4),
    "copilot/inject_resume": (12257, 84, 12256, 0, 10, 2), "copilot/interactive": (58948, 336, 58943, 0, 40, 8),
    "copilot/pascal": (24803, 168, 24801, 0, 20, 4), "copilot/patch": (26163, 168, 26159, 0, 20, 4), "copilot/repo_hooks": (18311, 126, 18309, 0, 15, 3),
    "copilot/subagent": (16212, 168, 16209, 0, 20, 4), "copilot/tools": (69332, 462, 69325, 0, 55, 11),
}  # fmt: skip


@pytest.mark.parametrize("scenario", sorted(RECORDED))
def test_recordings_equal_tables_made_by_hand(archive: Archive, scenario: str) -> None:
    """The totals by hour and by session are those of the recording."""
    host = scenario.partition("/")[0]
    shutil.copytree(FIXTURES / scenario, archive.folder / f".{host}", ignore=shutil.ignore_patterns("states"))
    archive.ingest()
    for by in ("hour", "session"):
        totals = archive.json("usage", "--by", by)["totals"]
        names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "responses")
        assert tuple(totals[name] for name in names) == RECORDED[scenario], by


def test_a_generated_tree_equals_a_count_of_its_lines(archive: Archive) -> None:
    """What a second, plain reader sums over the lines of the generated tree is what is reported, by host, to the token."""
    generate(archive.folder, 2)
    archive.ingest()
    rows = archive.json("usage", "--by", "host")["rows"]
    told = {row["key"]: tuple(row[f"{kind}_tokens"] for kind in ("input", "output", "cache_read", "cache_write")) for row in rows}
    assert told == {host: plain_count(archive.folder / f".{host}", host) for host in ("claude", "codex", "copilot", "gemini")}


def plain_count(folder: Path, host: str) -> tuple[int, int, int, int]:
    """Sum the usage of a host's lines: each response once, cached tokens taken out of input where the host counts them inside."""
    found: dict[str, Counter[str]] = {}
    for path in folder.rglob("*.jsonl"):
        for line in path.read_text().splitlines():
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if host == "claude" and record.get("type") == "assistant":
                usage = record["message"]["usage"]
                found[record["message"]["id"]] = Counter(input=usage["input_tokens"], output=usage["output_tokens"],
                                                         read=usage["cache_read_input_tokens"], write=usage["cache_creation_input_tokens"])
            elif host == "codex" and record["type"] == "token_usage_record":
                usage = record["payload"]["usage"]
                found[record["payload"]["response_id"]] = Counter(input=usage["input_tokens"] - usage["cached_input_tokens"],
                                                                  output=usage["output_tokens"], read=usage["cached_input_tokens"])
            elif host == "gemini" and "tokens" in record:
                usage = record["tokens"]
                found[record["id"]] = Counter(input=usage["input"], output=usage["output"] + usage["thoughts"])
            elif host == "copilot" and record["type"] == "session.usage_record":
                usage = record["data"]["usage"]
                found[usage["apiCallId"]] = Counter(input=usage["inputTokens"] - usage["cacheReadTokens"], output=usage["outputTokens"],
                                                    read=usage["cacheReadTokens"])
    total = sum(found.values(), Counter())
    return total["input"], total["output"], total["read"], total["write"]
