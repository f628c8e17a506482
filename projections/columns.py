"""What every column of the views means: the documentation of `views.db` as data, which pages, listings and tests read.

A line reads `name | type | unit | meaning`, as in journal/columns.py. A view or column without one fails a test, and so
does a documented one that is gone: whoever changes a view changes its lines here. A projection may keep them beside its
tables instead, in its `columns`. A table whose meaning begins with `Internal:` only feeds others, and is free to change. Times are UTC as
`YYYY-MM-DDTHH:MM:SS.ffffffZ`; NULL means that the records do not say.
"""

from journal.columns import documented
from projections.catalog import OPTIONAL, PROJECTIONS

_COPY = "is_copy | INTEGER | 0/1 | 1 where another session owns the same record (forks and resumes copy history): count rows with 0"
_TURN = "turn_id | TEXT | id | the prompt that it follows: `turns.turn_id`"
_TOKENS = """input_tokens | INTEGER | tokens | input that was not read from a cache
        output_tokens | INTEGER | tokens | all output, reasoning included
        cache_read_tokens | INTEGER | tokens | input read from the provider's cache
        cache_write_tokens | INTEGER | tokens | input written to the provider's cache
        reasoning_tokens | INTEGER | tokens | the part of the output that is reasoning, where the host tells it"""
_LONG_LIVED = "cache_write_1h_tokens | INTEGER | tokens | the part of the cache writes that is kept for an hour"
_BAD = """source_id | INTEGER | id | the source of the line (`sources` of the log)
        generation | INTEGER | number | the version of the file, from 0
        offset_bytes | INTEGER | bytes | where the line begins in it
        global_position | INTEGER | number | the line's event in the log; `journal sql "SELECT record(N)"` shows it
        host | TEXT | word | the host whose transcript it is
        session_id | TEXT | id | the session that the source belongs to; empty for side files
        occurred_at | TEXT | UTC | the last time that the source told before the line"""

TEXTS = {
    "projects": """A project that sessions worked in: its repository under its newest path, else a folder (SQL view).
        path | TEXT | path | the project's folder
        sessions | INTEGER | count | sessions of it, sub-agents included
        first_at | TEXT | UTC | start of its first session
        last_at | TEXT | UTC | last record of any of its sessions""",
    "sessions": """One session of a host: a conversation with an agent, or a sub-agent's run.
        session_id | TEXT | id | the host's own id; a Claude sub-agent is `<parent>:<agent id>`
        host | TEXT | word | `claude`, `codex`, `gemini` or `copilot`
        project | TEXT | path | the project, as `projects.path`
        cwd | TEXT | path | the working directory that most of its messages were in
        project_hash | TEXT | hash | what Gemini names the project by: SHA-256 of its path
        title | TEXT | text | the title by `journal annotate`, else the host's, else the first prompt; at most 80 characters, redacted
        branch | TEXT | text | the git branch last told
        started_at | TEXT | UTC | its first own record
        last_at | TEXT | UTC | its last own record; whether it is open, killed or ended is judged when read
        turns | INTEGER | count | prompts of a human and what followed each
        messages | INTEGER | count | prompts and answers, without copies and what was rewound
        tool_calls | INTEGER | count | tool calls, without copies
        models | TEXT | JSON | list of the models that answered, sorted
        """ + _TOKENS + """
        responses | INTEGER | count | model responses that the tokens are the sum of
        is_estimated | INTEGER | 0/1 | 1 where the host gives no exact figures
        parent_session_id | TEXT | id | the session that it came from: see `session_links`
        link_kind | TEXT | word | how: `subagent`, `resume`, `fork` or `clear`
        kind | TEXT | word | `interactive`, `headless` or `subagent`
        client_version | TEXT | text | the host's version
        head_commit | TEXT | hash | the git commit at its start, where the host tells it
        end_reason | TEXT | text | how it ended, if it ended cleanly: `exit`, `complete`, `error`, `interrupted`, or the host's word
        resumed | INTEGER | 0/1 | 1 where its records or a hook say that it was continued
        concurrent_strands | INTEGER | count | strands of its transcript that several processes wrote at once (`session_strands`); 0 as a rule
        is_turn_open | INTEGER | 0/1 | 1 where the last turn has no end: the last word is no answer, or one that calls a tool""",
    "session_strands": """A strand of a transcript whose records form a tree with several: after a rewind, or where two processes wrote one file.
        session_id | TEXT | id | the session
        source_key | TEXT | text | the transcript: `host/id/path`
        generation | INTEGER | number | the version of the file, from 0
        strand | INTEGER | number | its number in the file, in the order in which they began, from 1; a number may be left out
        follows_record_id | TEXT | id | the record that its first one follows, which two strands may share; NULL for the first strand
        first_record_id | TEXT | id | its first record
        leaf_record_id | TEXT | id | its last record
        responses | INTEGER | count | answers of the model on it
        started_at | TEXT | UTC | when its first record was written
        last_at | TEXT | UTC | when its leaf was written
        last_offset | INTEGER | bytes | where the leaf's line begins
        is_concurrent | INTEGER | 0/1 | 1 where it and another one were written by two processes at once: they answer one prompt, or took turns
        is_chain | INTEGER | 0/1 | 1 for the one strand of the session that was written last: its leaf is what the host goes on from""",
    "session_folders": """A working directory of a session; one that moved about has several.
        session_id | TEXT | id | the session
        cwd | TEXT | path | the directory
        project | TEXT | path | the project that it belongs to, as `projects.path`
        messages | INTEGER | count | messages written there, without copies""",
    "session_notes": """A note on a session, by `journal note` or by the host.
        session_id | TEXT | id | the session
        record_id | TEXT | id | the record that holds the note
        noted_at | TEXT | UTC | when it was noted
        text | TEXT | text | the note, redacted""",
    "session_annotations": """What an agent or a person said a session is about, by `journal annotate`; of each field the newest that is not NULL holds.
        session_id | TEXT | id | the session
        record_id | TEXT | id | the record that says it
        annotated_at | TEXT | UTC | when it was said; a session that went on since makes it stale
        title | TEXT | text | the title, redacted
        summary | TEXT | text | what was done, redacted
        topics | TEXT | JSON | list of topics, redacted
        category | TEXT | word | `feature`, `bugfix`, `refactor`, `docs`, `test`, `research` or `ops`""",
    "session_links": """Two sessions that belong together, with the evidence.
        child_session_id | TEXT | id | the later session
        parent_session_id | TEXT | id | the earlier one; it need not be in the journal
        kind | TEXT | word | `subagent`, `resume`, `fork` or `clear`
        evidence | TEXT | text | the field that says so, or `shared records` where copied history gives it away
        fork_point | TEXT | id | the record where the two part, or the call that started a sub-agent
        occurred_at | TEXT | UTC | when the link was recorded""",
    "session_tree": """Each session once, below the one that its lineage began with (SQL view); sessions that name each other in a circle are roots.
        root_session_id | TEXT | id | the session that has no parent in the journal
        session_id | TEXT | id | the session
        depth | INTEGER | number | links between the two; 0 for the root itself""",
    "turns": """A prompt of a human and what followed it.
        session_id | TEXT | id | the session
        turn_id | TEXT | id | the record of the prompt
        number | INTEGER | number | its place in the session, from 1
        started_at | TEXT | UTC | when the prompt was given
        ended_at | TEXT | UTC | the last message of the turn
        answers | INTEGER | count | answers of the model
        tool_calls | INTEGER | count | tool calls""",
    "messages": """A text of a conversation: prompts, answers, reasoning, summaries, injected text and notices.
        message_rowid | INTEGER | id | row number, which the full text refers to; not stable between rebuilds
        session_id | TEXT | id | the session
        record_id | TEXT | id | the host's id of the record, else `~` and a hash of its bytes
        ordinal | INTEGER | number | its place inside the record
        source_id | INTEGER | id | the source that tells it (`sources` of the log)
        global_position | INTEGER | number | its first report in the log
        last_position | INTEGER | number | its last report in the log, whose text this is
        host | TEXT | word | the host
        role | TEXT | word | `user`, `assistant` or `system`
        kind | TEXT | word | `prompt` (by a human), `answer`, `reasoning`, `summary`, `injected` or `notice`
        text | TEXT | text | the text, redacted
        occurred_at | TEXT | UTC | its time, carried forward where the record has none
        """ + _TURN + """
        cwd | TEXT | path | the working directory then
        model | TEXT | text | the model then
        response_id | TEXT | id | the model response that it is a part of: `usage.response_id`
        parent_record_id | TEXT | id | the record that it answers, where the host tells it
        """ + _COPY + """
        dropped_by | TEXT | id | the record that rewound or replaced it; NULL where it still stands
        generation | INTEGER | number | the version of the source's file that tells it, from 0
        strand | INTEGER | number | the line of records in that file that it stands on: `session_strands.strand`; 1 as a rule""",
    "messages_fts": """Full text of `messages` (FTS5): `messages_fts MATCH '"lock"'`, joined by `rowid = message_rowid`.
        text | TEXT | text | the text; Chinese, Japanese and Korean characters are words of their own""",
    "tool_calls": """A tool that the model called, and how the call ended.
        tool_call_rowid | INTEGER | id | row number, which the full text refers to; not stable between rebuilds
        session_id | TEXT | id | the session
        tool_call_id | TEXT | id | the host's id of the call
        record_id | TEXT | id | the record that holds the call; empty where only its result is known
        source_id | INTEGER | id | the source of the call (`sources` of the log)
        global_position | INTEGER | number | the call's event in the log
        name | TEXT | text | the tool
        input_text | TEXT | text | its input as JSON or plain text, redacted; at most 32,000 characters
        occurred_at | TEXT | UTC | when it was called
        """ + _TURN + """
        is_error | INTEGER | 0/1 | 1 where it failed or was refused; NULL while no result is known
        exit_code | INTEGER | number | exit status of a command, where the host tells it
        output_excerpt | TEXT | text | beginning and end of the output, redacted; at most 1,000 characters
        output_chars | INTEGER | characters | the whole output's length
        duration_ms | INTEGER | ms | how long it took, where the host tells it
        returned_at | TEXT | UTC | when its result was recorded
        called_by | INTEGER | id | the source that tells the call
        returned_by | INTEGER | id | the source that tells the result
        returned_position | INTEGER | number | the result's event in the log, which holds all of it
        """ + _COPY,
    "tool_calls_fts": """Full text of `tool_calls.input_text` (FTS5), joined by `rowid = tool_call_rowid`.
        input_text | TEXT | text | the input""",
    "file_changes": """A file that a tool call changed.
        session_id | TEXT | id | the session
        change_key | TEXT | id | the call, else the record, that changed it
        absolute_path | TEXT | path | the file
        path | TEXT | path | the file, relative to the session's top folder where it lies in it
        record_id | TEXT | id | the record that tells it
        tool_call_id | TEXT | id | the call: `tool_calls.tool_call_id`
        operation | TEXT | word | `add`, `edit`, `delete`, `move` or `write`
        lines_added | INTEGER | lines | lines added, where the record shows them
        lines_removed | INTEGER | lines | lines removed, where the record shows them
        moved_to | TEXT | path | where a moved file went
        evidence | TEXT | word | `tool` (the record has the path or diff) or `shell` (read off a command line)
        occurred_at | TEXT | UTC | when
        """ + _TURN + """
        source_id | INTEGER | id | the source that tells it
        global_position | INTEGER | number | the change's event in the log, which holds its lines
        """ + _COPY,
    "usage": """Tokens of one model response, however often and wherever the host repeats them.
        session_id | TEXT | id | the session
        response_id | TEXT | id | the provider's or host's id of the response, or `total:` and the running total that it is a rise of
        model | TEXT | text | the model
        """ + _TOKENS + """
        """ + _LONG_LIVED + """
        basis | TEXT | word | how exact: `response`, `total_difference`, `shutdown_total` or `message_estimate`
        occurred_at | TEXT | UTC | when
        """ + _TURN + """
        source_id | INTEGER | id | the source that tells it
        counted | INTEGER | 0/1 | 1 where it is of the best basis of its session: count rows with `counted AND NOT is_copy`
        """ + _COPY,
    "usage_daily": """Tokens by day (UTC), host and model, each response once (SQL view).
        day_utc | TEXT | UTC day | `YYYY-MM-DD`, NULL where no time is known
        host | TEXT | word | the host
        model | TEXT | text | the model
        """ + _TOKENS + """
        """ + _LONG_LIVED + """
        responses | INTEGER | count | model responses""",
    "usage_totals": """Internal: a running total as a host reports it, before it is turned into rows of `usage`.
        session_id | TEXT | id | the session
        source_key | TEXT | text | a stable name of the source
        generation | INTEGER | number | the version of the file, from 0
        offset_bytes | INTEGER | bytes | where the record begins
        model | TEXT | text | the model then
        occurred_at | TEXT | UTC | when
        """ + _TURN + "".join(f"""
        {which}_{kind}_tokens | INTEGER | tokens | {kind.replace('_', ' ')} {meaning}"""
        for which, meaning in (("total", "since the session, or its lineage, began"), ("last", "of the last response, as the host tells it"))
        for kind in ("input", "output", "cache_read", "cache_write", "reasoning")) + """
        source_id | INTEGER | id | the source""",
    "compactions": """A point where the host replaced the model's context by a summary.
        session_id | TEXT | id | the session
        record_id | TEXT | id | the record that tells it
        occurred_at | TEXT | UTC | when
        """ + _TURN + """
        trigger | TEXT | word | what caused it, in the host's word, such as `auto` or `manual`
        pre_tokens | INTEGER | tokens | context before
        post_tokens | INTEGER | tokens | context after
        """ + _COPY,
    "context_history": """How full a session's context was after a model response, by the host's own figures.
        session_id | TEXT | id | the session
        source_key | TEXT | text | a stable name of the source that tells it
        generation | INTEGER | number | the version of its file, from 0
        offset_bytes | INTEGER | bytes | where the record begins
        occurred_at | TEXT | UTC | when
        used_tokens | INTEGER | tokens | tokens in the context; NULL right after a compaction that does not tell
        window_tokens | INTEGER | tokens | tokens that fit, where the host tells it
        model | TEXT | text | the model then
        response_id | TEXT | id | the response, as in `usage`""",
    "context_state": """How full each session's context was last (SQL view); the percentage depends on the window in force when read.
        session_id | TEXT | id | the session
        occurred_at | TEXT | UTC | when
        used_tokens | INTEGER | tokens | tokens in the context
        window_tokens | INTEGER | tokens | tokens that fit, where the host tells it
        model | TEXT | text | the model then""",
    "hook_events": """A call of a hook by a host, with what it saw at that moment.
        session_id | TEXT | id | the session
        record_id | TEXT | id | the inbox line
        occurred_at | TEXT | UTC | when
        host | TEXT | word | the host
        role | TEXT | word | `session-start`, `prompt`, `pre-compact`, `stop` or `session-end`
        source | TEXT | word | why, in the host's word, such as `startup`, `resume` or `auto`
        transcript_path | TEXT | path | the session's transcript
        transcript_bytes | INTEGER | bytes | its size then
        root | TEXT | path | the folder of the repository
        branch | TEXT | text | the branch checked out
        head | TEXT | hash | the commit checked out
        last_message | TEXT | text | the agent's last answer as the host passes it, redacted
        global_position | INTEGER | number | the line's event in the log: the calls of several processes of one session in the order of its inbox""",
    "session_aliases": """An id under which hooks spoke of a session that has another id in its transcript.
        alias | TEXT | id | the id in the hooks' payloads
        session_id | TEXT | id | the session of the transcript that they name""",
    "hook_history": """What a hook measured or answered, which later hooks of the session build on.
        session_id | TEXT | id | the session
        record_id | TEXT | id | the inbox line
        occurred_at | TEXT | UTC | when
        line | TEXT | JSON | the line, of type `journal.context` or `journal.hook_answered`""",
    "handoffs": """A version of a handoff: what an agent or a person wrote down for a later session.
        handoff_id | TEXT | id | path, time and size of the file, or the record
        session_id | TEXT | id | the session that saw this version first
        saved_at | TEXT | UTC | when it was seen
        root | TEXT | path | the folder of the repository
        project | TEXT | path | the project, as `projects.path`
        branch | TEXT | text | the branch checked out
        head | TEXT | hash | the commit checked out
        is_dirty | INTEGER | 0/1 | 1 where tracked files had uncommitted changes when a hook saw it; NULL where nobody looked then
        path | TEXT | path | the file
        mtime_us | INTEGER | µs since 1970 | when the file was written
        size | INTEGER | bytes | its size
        text | TEXT | text | its content, redacted""",
    "restore_cards": """What a later session is told of this one, ready to print; sub-agents have none.
        session_id | TEXT | id | the session
        host | TEXT | word | the host
        project | TEXT | path | the project, as `projects.path`
        branch | TEXT | text | the branch last told
        title | TEXT | text | the title, as in `sessions`
        started_at | TEXT | UTC | its first record
        last_at | TEXT | UTC | its last record
        end_reason | TEXT | text | how it ended, as in `sessions`
        parts | TEXT | JSON | list of [kind, text]: `open`, `decision`, `wish`, `figure`, `failure`, `prompt`, `answer`, `file`""",
    "damaged_records": """A line that did not read as exactly one JSON object; what could be read of it is in the other views.
        """ + _BAD + """
        damage | TEXT | text | `nul`, `bom`, `utf8`, `surrogate`, `nan`, `glued`, `torn`, `scalar`, `array`, `depth`, `unreadable`, `long`, our fault
        skipped_bytes | INTEGER | bytes | of the line, what is in no record that was read of it: NUL bytes, a torn beginning, the whole of what did not read""",
    "unknown_records": """A record of a kind that the decoder does not know: perhaps of a newer host.
        """ + _BAD + """
        ordinal | INTEGER | number | its place inside the line
        kind | TEXT | text | the kind, in the host's words""",
    "source_report": """What was read of each version of each source (SQL view).
        source_id | INTEGER | id | the source (`sources` of the log)
        generation | INTEGER | number | the version of the file, from 0
        host | TEXT | word | the host
        session_id | TEXT | id | the session that it belongs to; empty for side files
        path | TEXT | path | where it lay when it was read
        lines | INTEGER | lines | lines read
        bytes | INTEGER | bytes | bytes read
        damaged | INTEGER | count | lines of them that are damaged
        unknown | INTEGER | count | lines of them with a record of an unknown kind""",
    "checkpoints": """How far the views have come, and of which log and code they are; one row.
        name | TEXT | word | `views`
        log_id | TEXT | id | the log (`log_meta`)
        position | INTEGER | number | the last event that the views contain; the log's head minus it is the lag
        hash | TEXT | hash | the log's chain there, in hex
        decoder_versions | TEXT | JSON | host to the version of its decoder
        projection_versions | TEXT | JSON | projection to its version, and that of the redaction rules""",
    "project_observations": """What git and the file system said about a working directory.
        path | TEXT | path | the directory as recorded
        path_hash | TEXT | hash | SHA-256 of it in hex
        real_path | TEXT | path | where it led, symbolic links resolved
        root | TEXT | path | the main work tree of its repository; NULL outside git
        root_commit | TEXT | hash | the repository's first commit
        remote | TEXT | URL | its remote, without credentials
        copied_from | TEXT | path | the repository without a remote that stood beside this copy of it; NULL for all others
        occurred_at | TEXT | UTC | when it was observed""",
    "session_facts": """Internal: what each source last said about its session, from which `sessions` is made.
        session_id | TEXT | id | the session
        fact | TEXT | word | such as `title`, `branch`, `cwd`, `client_version`, `end_reason`
        source_key | TEXT | text | a stable name of the source that said it
        occurred_at | TEXT | UTC | when
        value | TEXT | text | what it said""",
    "source_lines": """Internal: lines and bytes read of a source, from which `source_report` is made.
        source_id | INTEGER | id | the source
        generation | INTEGER | number | the version of the file, from 0
        host | TEXT | word | the host
        session_id | TEXT | id | the session that it belongs to
        path | TEXT | path | where it lay
        lines | INTEGER | lines | lines read
        bytes | INTEGER | bytes | bytes read""",
    "source_keys": """Internal: the stable name by which sources are ordered.
        source_id | INTEGER | id | the source
        source_key | TEXT | text | host, session and first path""",
    "carries": """Internal: what a source has said so far, for the next catch-up.
        source_id | INTEGER | id | the source
        value | TEXT | JSON | generation, time, directory, branch, model and turns carried forward""",
    "unsettled": """Internal: sessions whose totals and owners are to be brought up to date; empty between catch-ups.
        session_id | TEXT | id | the session""",
}  # fmt: skip

VIEWS = documented(TEXTS | {name: text for projection in (*PROJECTIONS, *OPTIONAL) for name, text in projection.columns.items()})
"""Every table and SQL view of `views.db`."""
INTERNAL = tuple(table.name for table in VIEWS.values() if table.meaning.startswith("Internal:"))
"""Tables that only feed others: readable, but free to change."""
