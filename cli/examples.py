"""Example queries, saved: `journal sql --example NAME` runs them, the reference page of the schema prints them."""

from typing import NamedTuple


class Example(NamedTuple):
    """One example query."""

    name: str
    table: str
    """The view or table that it is an example of."""
    meaning: str
    sql: str


EXAMPLES = (
    Example("projects", "projects", "which projects were worked in last", "SELECT path, sessions, last_at FROM projects ORDER BY last_at DESC LIMIT 20"),
    Example("longest-sessions", "sessions", "sessions with the most turns",
            "SELECT session_id, host, title, turns, tool_calls, output_tokens FROM sessions WHERE kind <> 'subagent' ORDER BY turns DESC, session_id LIMIT 20"),
    Example("models", "sessions", "how many sessions each model answered in",
            "SELECT model.value AS model, count(*) AS sessions FROM sessions, json_each(sessions.models) AS model GROUP BY 1 ORDER BY 2 DESC, 1"),
    Example("folders", "session_folders", "sessions that worked in several projects",
            "SELECT session_id, count(DISTINCT project) AS projects, group_concat(DISTINCT project) AS of_them FROM session_folders"
            " GROUP BY 1 HAVING projects > 1"),
    Example("notes", "session_notes", "the last notes", "SELECT noted_at, session_id, text FROM session_notes ORDER BY noted_at DESC LIMIT 20"),
    Example("annotations", "session_annotations", "what sessions were said to be about, the newest word first",
            "SELECT annotated_at, session_id, category, title, summary FROM session_annotations ORDER BY annotated_at DESC, session_id LIMIT 20"),
    Example("forks", "session_links", "sessions that were forked or resumed, with the evidence",
            "SELECT kind, parent_session_id, child_session_id, evidence FROM session_links WHERE kind <> 'subagent' ORDER BY occurred_at"),
    Example("strands", "session_strands", "transcripts that two processes wrote at once, with the leaf that counts",
            "SELECT session_id, strand, follows_record_id, leaf_record_id, responses, last_at, is_chain FROM session_strands"
            " WHERE session_id IN (SELECT session_id FROM sessions WHERE concurrent_strands) ORDER BY session_id, strand"),
    Example("tree", "session_tree", "every session under the one that it came from",
            "SELECT printf('%*s', depth * 2, '') || t.session_id AS session, s.kind, s.output_tokens FROM session_tree AS t"
            " JOIN sessions AS s USING (session_id) ORDER BY root_session_id, depth, t.session_id"),
    Example("busiest-turns", "turns", "prompts that led to the most tool calls",
            "SELECT t.session_id, t.number, t.tool_calls, substr(m.text, 1, 60) AS prompt FROM turns AS t JOIN messages AS m"
            " ON m.session_id = t.session_id AND m.record_id = t.turn_id AND m.kind = 'prompt' ORDER BY t.tool_calls DESC, t.session_id, t.number LIMIT 20"),
    Example("prompts", "messages", "the last prompts, without copies and what was rewound",
            "SELECT occurred_at, host, substr(text, 1, 80) AS prompt FROM messages"
            " WHERE kind = 'prompt' AND NOT is_copy AND dropped_by IS NULL ORDER BY occurred_at DESC LIMIT 20"),
    Example("search", "messages_fts", "messages in which words stand, best first",
            "SELECT m.session_id, m.kind, snippet(messages_fts, 0, '[', ']', '…', 12) AS found FROM messages_fts"
            " JOIN messages AS m ON m.message_rowid = messages_fts.rowid WHERE messages_fts MATCH '\"calc.py\"' ORDER BY rank LIMIT 20"),
    Example("tools", "tool_calls", "tools by use, with their share of errors",
            "SELECT name, count(*) AS calls, round(avg(is_error), 3) AS error_rate, round(avg(duration_ms)) AS mean_ms"
            " FROM tool_calls WHERE NOT is_copy GROUP BY 1 ORDER BY 2 DESC, 1"),
    Example("search-tools", "tool_calls_fts", "tool calls whose input has a word",
            "SELECT t.session_id, t.name, substr(t.input_text, 1, 80) AS input FROM tool_calls_fts"
            " JOIN tool_calls AS t ON t.tool_call_rowid = tool_calls_fts.rowid WHERE tool_calls_fts MATCH '\"calc.py\"' ORDER BY rank LIMIT 20"),
    Example("files", "file_changes", "files by how often agents changed them",
            "SELECT path, count(*) AS changes, sum(lines_added) AS added, sum(lines_removed) AS removed FROM file_changes"
            " WHERE NOT is_copy GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20"),
    Example("usage-by-model", "usage", "tokens by model, each response once",
            "SELECT model, count(*) AS responses, sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cache_read_tokens) AS cache_read,"
            " sum(cache_write_tokens) AS cache_write FROM usage WHERE counted AND NOT is_copy GROUP BY 1 ORDER BY 4 DESC"),
    Example("usage-with-subagents", "usage", "tokens of whole session trees, sub-agents included",
            "SELECT t.root_session_id AS session_id, count(DISTINCT t.session_id) AS sessions, sum(u.output_tokens) AS output FROM usage AS u"
            " JOIN session_tree AS t USING (session_id) WHERE u.counted AND NOT u.is_copy GROUP BY 1 ORDER BY 3 DESC, 1 LIMIT 20"),
    Example("usage-daily", "usage_daily", "tokens by day (UTC), host and model", "SELECT * FROM usage_daily ORDER BY day_utc DESC, host, model LIMIT 100"),
    Example("compactions", "compactions", "where context was lost",
            "SELECT occurred_at, session_id, trigger, pre_tokens, post_tokens FROM compactions WHERE NOT is_copy ORDER BY 1"),
    Example("context", "context_state", "the fullest contexts, and of what, where the host tells its window",
            "SELECT session_id, model, used_tokens, window_tokens, round(100.0 * used_tokens / window_tokens) AS percent FROM context_state"
            " ORDER BY used_tokens DESC, session_id LIMIT 20"),
    Example("compact-points", "compact_points", "how full each model's context was when its host compacted it, last time",
            "SELECT host, model, tokens, occurred_at FROM compact_points AS p WHERE occurred_at ="
            " (SELECT max(occurred_at) FROM compact_points AS other WHERE other.host = p.host AND other.model = p.model) ORDER BY 4 DESC, 1, 2"),
    Example("context-growth", "context_history", "how a context grew, response by response",
            "SELECT session_id, occurred_at, used_tokens FROM context_history ORDER BY session_id, occurred_at, offset_bytes LIMIT 100"),
    Example("hook-calls", "hook_events", "how often each host called which hook",
            "SELECT host, role, count(*) AS calls FROM hook_events GROUP BY 1, 2 ORDER BY 1, 2"),
    Example("hooks-of-a-session", "hook_events", "what hooks of the newest session were called, in the order of the log",
            "SELECT occurred_at, role, source, transcript_bytes FROM hook_events WHERE session_id = (SELECT session_id FROM hook_events"
            " ORDER BY occurred_at DESC LIMIT 1) ORDER BY global_position"),
    Example("hook-answers", "hook_history", "what hooks said",
            "SELECT occurred_at, session_id, line ->> '$.kind' AS said FROM hook_history WHERE line ->> '$.type' = 'journal.hook_answered'"
            " ORDER BY 1 DESC LIMIT 20"),
    Example("bundles", "handoff_bundles", "the last handoff bundles, with their quality",
            "SELECT saved_at, handoff_id, title, rating, score FROM handoff_bundles ORDER BY saved_at DESC LIMIT 20"),
    Example("bundle-findings", "handoff_statements", "what handoffs found out",
            "SELECT b.title, s.text FROM handoff_statements AS s JOIN handoff_bundles AS b USING (handoff_id)"
            " WHERE s.kind = 'finding' ORDER BY b.saved_at DESC, s.number LIMIT 50"),
    Example("bundle-anchors", "handoff_anchors", "files that handoffs name most",
            "SELECT path, count(*) AS times FROM handoff_anchors WHERE kind IN ('file', 'range', 'symbol') AND reason IS NULL GROUP BY 1 ORDER BY 2 DESC, 1"),
    Example("bundle-files", "handoff_files", "files of bundles that were imported",
            "SELECT b.title, f.name, sum(length(f.text)) AS characters FROM handoff_files AS f JOIN handoff_bundles AS b USING (handoff_id) GROUP BY 1, 2"),
    Example("bundle-lineage", "handoff_links", "which handoff took the place of which", "SELECT older, kind, newer FROM handoff_links ORDER BY newer, older"),
    Example("bundle-removals", "handoff_removals", "handoffs that were deleted and what became of them",
            "SELECT removed_at, verb, handoff_id FROM handoff_removals ORDER BY removed_at DESC LIMIT 20"),
    Example("bundle-loads", "handoff_loads", "what loading a handoff cost, and what it spared",
            "SELECT substr(loaded_at, 1, 10) AS day, count(*) AS loads, sum(tokens) AS told, sum(source_tokens) AS of_sources FROM handoff_loads"
            " GROUP BY 1 ORDER BY 1 DESC"),
    Example("aliases", "session_aliases", "ids under which hooks spoke of other sessions", "SELECT alias, session_id FROM session_aliases ORDER BY 1"),
    Example("handoffs", "handoffs", "the newest handoff of each project",
            "SELECT project, branch, saved_at, substr(text, 1, 80) AS beginning FROM handoffs AS h"
            " WHERE saved_at = (SELECT max(saved_at) FROM handoffs AS other WHERE other.project = h.project) ORDER BY saved_at DESC"),
    Example("learnings", "learnings", "what was learned, newest first, without what was retired or superseded",
            "SELECT learned_at, kind, scope, text FROM learnings AS l WHERE NOT EXISTS (SELECT 1 FROM learnings AS n WHERE n.replaces = l.learning_id)"
            " AND NOT EXISTS (SELECT 1 FROM learning_verdicts AS v WHERE v.learning_id = l.learning_id AND v.verdict = 'retired')"
            " ORDER BY learned_at DESC LIMIT 20"),
    Example("learning-places", "learning_anchors", "files that learnings name most",
            "SELECT path, count(*) AS times FROM learning_anchors WHERE kind IN ('file', 'range', 'symbol') AND reason IS NULL GROUP BY 1 ORDER BY 2 DESC, 1"),
    Example("retired", "learning_verdicts", "learnings that hold no more, and why",
            "SELECT v.said_at, l.text, v.reason FROM learning_verdicts AS v JOIN learnings AS l USING (learning_id)"
            " WHERE v.verdict = 'retired' ORDER BY 1 DESC"),
    Example("search-learnings", "learnings_fts", "learnings in which a word stands, in any of its forms",
            "SELECT l.kind, l.text FROM learnings_fts JOIN learnings AS l ON l.learning_rowid = learnings_fts.rowid"
            " WHERE learnings_fts MATCH 'lock' ORDER BY rank LIMIT 20"),
    Example("fixes", "fixes", "errors and what made their commands pass", "SELECT error, command, fix, session_id FROM fixes ORDER BY fixed_at DESC LIMIT 20"),
    Example("search-fixes", "fixes_fts", "fixes of errors in which a word stands",
            "SELECT x.error, x.command, x.fix FROM fixes_fts JOIN fixes AS x ON x.fix_rowid = fixes_fts.rowid"
            " WHERE fixes_fts MATCH 'error' ORDER BY rank LIMIT 20"),
    Example("last-words", "restore_cards", "the last answer of each session, as a later one is told",
            "SELECT session_id, part.value ->> 1 AS answer FROM restore_cards, json_each(parts) AS part WHERE part.value ->> 0 = 'answer'"
            " ORDER BY last_at DESC LIMIT 20"),
    Example("snapshots", "snapshots", "the last points worth coming back to",
            "SELECT snapshots.at, snapshot_id, reason, files, new_changes FROM snapshots ORDER BY snapshots.at DESC LIMIT 20"),
    Example("snapshot-files", "snapshot_files", "files of the newest snapshot",
            "SELECT path, operations, lines_added, lines_removed FROM snapshot_files"
            " WHERE snapshot_id = (SELECT snapshot_id FROM snapshots ORDER BY snapshots.at DESC LIMIT 1) ORDER BY path"),
    Example("shared-files", "project_files", "files by how many sessions changed them",
            "SELECT project, path, sessions, changes FROM project_files ORDER BY sessions DESC, changes DESC, path LIMIT 20"),
    Example("damage", "damaged_records", "damaged lines by kind", "SELECT host, damage, count(*) AS lines FROM damaged_records GROUP BY 1, 2 ORDER BY 3 DESC"),
    Example("unknown", "unknown_records", "records of unknown kinds: perhaps of a newer host",
            "SELECT host, kind, count(*) AS records FROM unknown_records GROUP BY 1, 2 ORDER BY 3 DESC"),
    Example("sources", "source_report", "the largest transcripts",
            "SELECT host, path, lines, bytes, damaged, unknown FROM source_report ORDER BY bytes DESC LIMIT 20"),
    Example("lag", "checkpoints", "how far the views have come", "SELECT position, decoder_versions, projection_versions FROM checkpoints"),
    Example("repositories", "project_observations", "repositories seen at several paths",
            "SELECT root_commit, remote, count(*) AS paths, max(root) AS one_of_them FROM project_observations"
            " WHERE root IS NOT NULL GROUP BY 1, 2 ORDER BY 3 DESC"),
    Example("event-types", "events", "kinds of records in the log",
            "SELECT type, count(*) AS events, sum(length_bytes) AS bytes FROM events GROUP BY 1 ORDER BY 3 DESC"),
    Example("states", "sources", "transcripts by host and what became of them",
            "SELECT host, state, count(*) AS sources FROM sources GROUP BY 1, 2 ORDER BY 1, 2"),
    Example("pending", "offsets", "bytes at the end of a transcript that are no whole line yet",
            "SELECT s.path, s.size - o.offset_bytes AS pending FROM offsets AS o JOIN sources AS s USING (source_id)"
            " WHERE s.state = 'live' AND s.size > o.offset_bytes"),
    Example("compression", "segments", "bytes kept, before and after compression",
            "SELECT codec, count(*) AS segments, sum(length_bytes) AS bytes, sum(length(data)) AS kept FROM segments GROUP BY 1"),
    Example("forgotten", "tombstones", "records that were forgotten, and when they had been read",
            "SELECT s.host, substr(e.recorded_at, 1, 10) AS day, count(*) AS records, sum(e.length_bytes) AS bytes FROM tombstones"
            " JOIN events AS e USING (global_position) JOIN sources AS s USING (source_id) GROUP BY 1, 2 ORDER BY 2 DESC, 1"),
    Example("chunks", "chunks", "what is embedded for search by meaning, by host and kind (filled by `journal index update`)",
            "SELECT host, kind, count(*) AS chunks, sum(end_char - start_char) AS characters FROM chunks GROUP BY 1, 2 ORDER BY 1, 2"),
    Example("record-types", "records", "kinds of records, by what stands in them (needs `journal records on`)",
            "SELECT host, data ->> '$.type' AS type, count(*) AS records FROM records GROUP BY 1, 2 ORDER BY 3 DESC"),
    Example("last-records", "events", "the last records of the log as JSON",
            "SELECT global_position, type, substr(record(global_position), 1, 200) AS record FROM events ORDER BY global_position DESC LIMIT 5"),
)  # fmt: skip
"""At least one for every view that is not internal."""
