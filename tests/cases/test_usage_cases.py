"""Cases C of public bug reports: tokens are counted once, by the host's own rules."""

from archive import Archive, answer, claude, codex, token_count

S = "aaaaaaaa-0000-4000-8000-000000000001"
T = "bbbbbbbb-0000-4000-8000-000000000002"


def tokens(archive: Archive, session: str) -> tuple[int, int, int, int]:
    """Return input, output, cache read and cache write of a session."""
    row = archive.sessions()[session]
    return row["input_tokens"], row["output_tokens"], row["cache_read_tokens"], row["cache_write_tokens"]


def usage(output: int, **more: int) -> dict[str, int]:
    """Return a Claude usage object with *output* tokens."""
    return {"input_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": output} | more


def test_c1_the_largest_figure_of_a_streamed_response_counts(archive: Archive) -> None:
    """Three lines of one response with 9, 9 and 159 output tokens count 159."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), *(answer(n, S, f"part {n}", "m1", usage(o))
                                                               for n, o in ((2, 9), (3, 9), (4, 159))))
    archive.ingest()
    assert tokens(archive, S) == (10, 159, 0, 0)


def test_c2_one_usage_for_each_response(archive: Archive) -> None:
    """Thinking, text and tool lines of one response with equal usage count once."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), *(answer(n, S, f"part {n}", "m1", usage(20)) for n in (2, 3, 4)))
    archive.ingest()
    assert tokens(archive, S) == (10, 20, 0, 0)
    for by in ("day", "model", "session", "project", "host", "hour"):
        totals = archive.json("usage", "--by", by)["totals"]
        assert (totals["input_tokens"], totals["output_tokens"], totals["responses"]) == (10, 20, 1), by
    assert archive.rows("views.db", "SELECT used_tokens FROM context_state") == [(30,)]


def test_c3_a_missing_request_id_falls_back_to_the_message_id(archive: Archive) -> None:
    """Lines of one message count once when requestId is absent, null or empty."""
    records = [answer(n, S, f"part {n}", "m1", usage(20)) for n in (2, 3, 4)]
    del records[0]["requestId"]
    records[1]["requestId"], records[2]["requestId"] = None, ""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), *records)
    archive.ingest()
    assert tokens(archive, S) == (10, 20, 0, 0)


def test_c5_c6_c8_sub_agent_files_are_sessions_of_their_own(archive: Archive) -> None:
    """Agent files at any depth become child sessions with their own model; meta and journal files do not."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "main", "m1", usage(20)))
    folder = archive.claude_path(S).with_suffix("") / "subagents"
    for name, place in (("a", folder), ("b", folder / "workflows/wf_x")):
        side = {"isSidechain": True, "agentId": name}
        archive.write(place / f"agent-{name}.jsonl", claude(5, S, "do it", **side) | {"uuid": f"{name}" * 8},
                      *(answer(6 + n, S, f"{name}{n}", f"m-{name}", usage(o), model="claude-haiku-5", **side)
                        | {"uuid": f"{name}{n}" * 8} for n, o in enumerate((3, 5, 812))))
        archive.write(place / f"agent-{name}.meta.json", {"agentType": "Explore", "description": "x", "toolUseId": "t"})
    archive.write(folder / "journal.jsonl", {"anything": 1})
    archive.ingest()
    sessions = archive.sessions()
    assert sorted(sessions) == [S, f"{S}:a", f"{S}:b"]
    assert tokens(archive, S) == (10, 20, 0, 0)
    assert tokens(archive, f"{S}:a") == (10, 812, 0, 0)
    assert sessions[f"{S}:a"]["parent_session_id"] == S
    assert sessions[f"{S}:a"]["models"] == ["claude-haiku-5"]


def test_c6_what_sub_agents_cost_counts_for_the_parent_at_their_own_price(archive: Archive) -> None:
    """An agent that no record of the parent names, and a nested one: their tokens roll up to the parent's session, each at its own model's price."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "main", "m1", usage(1000)))
    folder = archive.claude_path(S).with_suffix("") / "subagents"
    for number, (name, place, model) in enumerate((("a", folder, "claude-haiku-4-5"), ("b", folder / "workflows/wf_x", "claude-sonnet-4-6"))):
        first = 10 * number + 5
        archive.write(place / f"agent-{name}.jsonl", claude(first, S, "do it", isSidechain=True, agentId=name),
                      answer(first + 1, S, name, f"m-{name}", usage(2000), model=model, isSidechain=True, agentId=name))  # fmt: skip
        archive.write(place / f"agent-{name}.meta.json", {"agentType": "Explore", "usage": usage(777), "sessionId": S, "type": "assistant"})
        archive.write(place / "journal.jsonl", answer(first + 2, S, "journalword", f"j-{name}", usage(555)))
    report = archive.ingest()
    assert (report["unknown"], report["damaged"]) == (0, 0)
    assert sorted(archive.sessions()) == [S, f"{S}:a", f"{S}:b"]
    assert archive.hits("journalword") == []
    rows = archive.json("usage", "--by", "session")["rows"]
    assert [(row["key"], row["model"], row["input_tokens"], row["output_tokens"], row["cost_usd"]) for row in rows] == [
        (S, "claude-haiku-4-5", 10, 2000, 0.01001), (S, "claude-opus-5-5", 10, 1000, 0.02004), (S, "claude-sonnet-4-6", 10, 2000, 0.03003)]  # fmt: skip
    totals = archive.json("usage", "--by", "session")["totals"]
    assert (totals["output_tokens"], totals["cost_usd"]) == (5000, 0.06008)


def test_c9_equal_totals_add_nothing(archive: Archive) -> None:
    """Codex totals 1000, 1000, 1000, 3300 count 3300."""
    counts = [((1000, 0, 0, 0), (1000, 0, 0, 0))] * 3 + [((3300, 0, 0, 0), (2300, 0, 0, 0))]
    archive.write(archive.codex_path(S), codex(S, [token_count(total, last) for total, last in counts]))
    archive.ingest()
    assert tokens(archive, S) == (3300, 0, 0, 0)


def test_c10_totals_are_compared_as_a_whole(archive: Archive) -> None:
    """Totals without total_tokens still count when input and output rise."""
    records = [token_count((100, 0, 10, 0), None), token_count((200, 0, 30, 0), None)]
    for _, payload in records:
        del payload["info"]["total_token_usage"]["total_tokens"]
    archive.write(archive.codex_path(S), codex(S, records))
    archive.ingest()
    assert tokens(archive, S) == (200, 30, 0, 0)


def test_c11_a_null_info_is_no_baseline(archive: Archive) -> None:
    """A first token_count with `info: null` neither fails nor counts, and says nothing of the context."""
    archive.write(archive.codex_path(T), codex(T, [("event_msg", {"type": "token_count", "info": None})]))
    archive.write(archive.codex_path(S), codex(S, [("event_msg", {"type": "token_count", "info": None}),
                                                   token_count((700, 0, 7, 0), (700, 0, 7, 0))]))
    assert archive.ingest()["damaged"] == 0
    assert tokens(archive, S) == (700, 7, 0, 0)
    assert archive.rows("views.db", "SELECT session_id, used_tokens FROM context_state WHERE used_tokens IS NOT NULL") == [(S, 707)]


def test_c13_equal_totals_of_unrelated_sessions_both_count(archive: Archive) -> None:
    """Two sessions that both start with total 14,023 count 14,023 each."""
    for session in (S, T):
        archive.write(archive.codex_path(session), codex(session, [token_count((14023, 0, 0, 0), (14023, 0, 0, 0))]))
    archive.ingest()
    assert tokens(archive, S) == tokens(archive, T) == (14023, 0, 0, 0)


def test_c20_synthetic_answers_use_nothing(archive: Archive) -> None:
    """A `<synthetic>` error answer is neither a model nor usage."""
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "ok", "m1", usage(20)),
                  answer(3, S, "API Error", "m2", usage(0, input_tokens=0), model="<synthetic>", isApiErrorMessage=True))
    archive.ingest()
    assert archive.sessions()[S]["models"] == ["claude-opus-5-5"]
    assert tokens(archive, S) == (10, 20, 0, 0)
    assert archive.rows("views.db", "SELECT used_tokens FROM context_state") == [(30,)], "an error does not empty the context"


def test_c23_subsets_are_not_added(archive: Archive) -> None:
    """Codex input 100 (cached 80) and output 20 (reasoning 15) total 120."""
    archive.write(archive.codex_path(S), codex(S, [token_count((100, 80, 20, 15), (100, 80, 20, 15))]))
    archive.ingest()
    assert tokens(archive, S) == (20, 20, 80, 0)
    archive.write(archive.claude_path(T), answer(1, T, "x", "m1", usage(20, input_tokens=100, cache_read_input_tokens=80, cache_creation_input_tokens=7)))
    archive.ingest()
    assert {row["key"]: row["total_tokens"] for row in archive.json("usage", "--by", "host")["rows"]} == {"codex": 120, "claude": 207}


def figures(archive: Archive) -> list[tuple[int, ...]]:
    """Return what the responses used: input, output, cache read, cache write, of that for an hour, reasoning."""
    return archive.rows("views.db", "SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens,"
                        " reasoning_tokens FROM usage WHERE counted ORDER BY occurred_at")


def test_claude_tells_the_age_of_cache_writes_and_thinking_inside_output(archive: Archive) -> None:
    """Of 500 tokens written to the cache 300 live for an hour; 40 of 90 output tokens were thinking; more than all is all."""
    aged = {"cache_creation": {"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 300}, "output_tokens_details": {"thinking_tokens": 40}}
    absurd = {"cache_creation": {"ephemeral_1h_input_tokens": 9000}}
    archive.write(archive.claude_path(S), claude(1, S, "hi"), answer(2, S, "a", "m1", usage(90, cache_creation_input_tokens=500) | aged),
                  answer(3, S, "b", "m2", usage(5, cache_creation_input_tokens=7) | absurd), answer(4, S, "c", "m3", usage(5, cache_creation_input_tokens=8)))
    archive.ingest()
    assert figures(archive) == [(10, 90, 0, 500, 300, 40), (10, 5, 0, 7, 7, 0), (10, 5, 0, 8, 0, 0)]


def test_codex_counts_cache_writes_inside_input(archive: Archive) -> None:
    """Codex input 100 of which 60 were read from and 30 written to the cache is 10 fresh, 60 read and 30 written."""
    used = {"input_tokens": 100, "cached_input_tokens": 60, "cache_write_input_tokens": 30, "output_tokens": 20, "reasoning_output_tokens": 15}
    archive.write(archive.codex_path(S), codex(S, [("token_usage_record", {"response_id": "r1", "usage": used})]))
    archive.ingest()
    assert figures(archive) == [(10, 20, 60, 30, 0, 15)]


def fork(archive: Archive) -> dict[str, bytes]:
    """Return the files of a parent and its fork; the fork copies two records and adds two."""
    shared = [claude(1, S, "parent prompt"), answer(2, S, "parent answer", "m1", usage(100))]
    copied = [shared[0] | {"sessionId": T}, shared[1] | {"sessionId": T, "requestSessionId": S}]
    lines = {S: shared, T: [*copied, claude(3, T, "fork prompt"), answer(4, T, "fork answer", "m2", usage(7))]}
    from archive import line
    return {session: b"".join(map(line, records)) for session, records in lines.items()}


def test_fork_usage_is_the_same_in_any_order(archive: Archive) -> None:
    """Parent first, fork first or both at once: the parent owns what was copied."""
    files = fork(archive)
    seen = []
    for order in ([S, T], [T, S], None):
        archive.home = archive.folder / f"home-{order}"
        for session in (S, T):
            archive.claude_path(session).unlink(missing_ok=True)
        for session in order or [S, T]:
            archive.write(archive.claude_path(session), files[session])
            if order:
                archive.ingest()
        archive.ingest()
        seen.append((tokens(archive, S), tokens(archive, T), archive.sessions()[T]["parent_session_id"], archive.digests()))
    assert seen[0][:3] == ((10, 100, 0, 0), (10, 7, 0, 0), S)
    assert seen[0] == seen[1] == seen[2]
