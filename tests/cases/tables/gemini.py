"""Gemini CLI 0.61.0: the chats under tests/fixtures/gemini, read by hand.

`tokens.input` holds the cached tokens, `tokens.output` leaves the thoughts out. A session has no end on disk, and no mark that
tells a terminal from a run without one. The client deletes and replaces files: what it once wrote is in the states.
"""

from tables import NONE, Call, Change, Compaction, Link, Session, Table, Tokens, Usage

PRO = "gemini-2.5-pro"
ALL_TOOLS: Tokens = (51156, 8 * 42 + 2 * 7, 51153, 0, 2 * 7)
"""Eight responses: input 12243, 12422, 12541, 12699, 12820, 12914, 13106, 13564; two of them with 7 tokens of thought."""
FIXED = Session("11111111", "Say hello", "interactive", 1, 2, 0, [PRO], (6121, 42, 6120, 0, 0), None)
FAILED = Session("671a2c1c", "This one fails at the model", "interactive", 0, 0, 0, [], NONE, None)
"""The client took the prompt back when its request failed: it names the session and is no turn."""
LOST = Session("de050b77", "First prompt", "interactive", 2, 4, 0, [PRO], (6118 + 6131, 84, 6117 + 6130, 0, 0), None)
KILLED: Tokens = (6120, 42, 6120, 0, 0)

TABLES = {
    # The first request of the second prompt reports 900,000 input tokens; the snapshot is told at the next prompt.
    "auto_compress": Table(
        [Session("6cc1ef12", "prompt number 1 prompt number 2", "interactive", 4, 8, 4, [PRO], (939398, 336, 52873, 0, 0), None)],
        usage=[Usage("6cc1ef12", PRO, 8, 0, (6467 + 6549 + 6563 + 6644 + 6658 + 893261 + 6587 + 6669, 8 * 42,
                                            6467 + 6549 + 6562 + 6644 + 6657 + 6739 + 6587 + 6668, 0, 0))],
        calls=[Call("6cc1ef12", "run_shell_command")] * 4,
        compactions=[Compaction("6cc1ef12", None, None, None)],
    ),
    # The resume lost the first prompt of its list (it begins with a hook's context); the journal has both.
    "inject": Table(
        [Session("5aed21a5", "Injection test", "interactive", 2, 4, 1, [PRO], (6133 + 6182 + 6213, 126, 6133 + 6181 + 6212, 0, 0), None)],
        usage=[Usage("5aed21a5", PRO, 3, 0, (6133 + 6182 + 6213, 126, 6133 + 6181 + 6212, 0, 0))],
        calls=[Call("5aed21a5", "read_file")],
    ),
    # /compress, /clear (second file), /chat resume: it writes three old prompts and answers again, under new ids, without tokens.
    "interactive": Table(
        [Session("308de9b5", "a new beginning", "interactive", 2, 4, 0, [PRO], (13047, 84, 13047, 0, 0), None),
         Session("54a92b04", "hello there", "interactive", 4, 8, 2, [PRO], (39084, 252, 39083, 0, 0), None)],
        usage=[Usage("308de9b5", PRO, 2, 0, (6450 + 6597, 84, 6450 + 6597, 0, 0)),
               Usage("54a92b04", PRO, 6, 0, (6447 + 6461 + 6519 + 6532 + 6583 + 6542, 252, 6447 + 6461 + 6519 + 6531 + 6583 + 6542, 0, 0))],
        changes=[Change("54a92b04", "add", "inter.txt", 1, 0)],
        calls=[Call("54a92b04", "write_file"), Call("54a92b04", "run_shell_command")],
        compactions=[Compaction("54a92b04", None, None, None)],
    ),
    "killed@after-kill": Table(
        [Session("c6b710ae", "Write a file and then talk", "interactive", 1, 1, 1, [PRO], KILLED, None, is_turn_open=True)],
        usage=[Usage("c6b710ae", PRO, 1, 0, KILLED)],
        changes=[Change("c6b710ae", "add", "/home/dev/demo-app/a.txt", 1, 0)],  # nothing in this state tells the project's folder
        calls=[Call("c6b710ae", "write_file")],
        states=("after-kill",),
    ),
    "killed": Table(
        [Session("c6b710ae", "Write a file and then talk", "interactive", 2, 3, 1, [PRO], (6120 + 6224, 84, 6120 + 6224, 0, 0), None)],
        usage=[Usage("c6b710ae", PRO, 2, 0, (6120 + 6224, 84, 6120 + 6224, 0, 0))],
        changes=[Change("c6b710ae", "add", "a.txt", 1, 0)],
        calls=[Call("c6b710ae", "write_file")],
    ),
    "legacy": Table(
        [Session("99999999", "Old question", "interactive", 2, 4, 0, [PRO], (10 + 6130, 2 + 42, 6130, 0, 0), None)],
        usage=[Usage("99999999", PRO, 2, 0, (10 + 6130, 2 + 42, 6130, 0, 0))],
    ),
    # Only the last session is on disk at the end.
    "lost": Table(
        [Session("fa074acd", "Unrelated new session", "interactive", 1, 2, 0, [PRO], (6119, 42, 6118, 0, 0), None)],
        usage=[Usage("fa074acd", PRO, 1, 0, (6119, 42, 6118, 0, 0))],
    ),
    "lost@all": Table(
        [LOST, Session("fa074acd", "Unrelated new session", "interactive", 1, 2, 0, [PRO], (6119, 42, 6118, 0, 0), None)],
        usage=[Usage("de050b77", PRO, 2, 0, (6118 + 6131, 84, 6117 + 6130, 0, 0)), Usage("fa074acd", PRO, 1, 0, (6119, 42, 6118, 0, 0))],
        states=("after-run-1", "after-run-2", "after-run-3", ""),
    ),
    # The third prompt was taken back by /rewind, the last one by an interrupt; the tokens of the third answer were spent.
    "rewind": Table(
        [Session("30d6598c", "prompt number 1", "interactive", 3, 6, 0, [PRO], (25820, 168, 25818, 0, 0), None)],
        usage=[Usage("30d6598c", PRO, 4, 0, (6462 + 6476 + 6489 + 6393, 168, 6462 + 6475 + 6489 + 6392, 0, 0))],
    ),
    "subagent": Table(
        [Session("0f45463d", "Where is greet?", "interactive", 1, 3, 1, [PRO], (6120 + 6212, 84, 6120 + 6212, 0, 0), None),
         Session("30d7dbbe", None, "subagent", 0, 0, 2, [PRO], (1644 + 1691, 84 + 7, 1643 + 1691, 0, 7), "complete", "0f45463d", True)],
        links=[Link("30d7dbbe", "0f45463d", "subagent", "agentId of the call", "invoke_agent__invoke_agent_1796072182275_0")],
        usage=[Usage("0f45463d", PRO, 2, 0, (6120 + 6212, 84, 6120 + 6212, 0, 0)),
               Usage("30d7dbbe", PRO, 2, 0, (1644 + 1691, 84 + 7, 1643 + 1691, 0, 7))],
        calls=[Call("0f45463d", "invoke_agent"), Call("30d7dbbe", "read_file"), Call("30d7dbbe", "complete_task")],
    ),
    # The session with the tool calls is gone from the disk at the end.
    "tools": Table(
        [FIXED, FAILED],
        usage=[Usage("11111111", PRO, 1, 0, (6121, 42, 6120, 0, 0))],
    ),
    "tools@all": Table(
        [FIXED, Session("35f9c6c3", "Make the greeting louder and keep notes", "interactive", 2, 6, 8, [PRO], ALL_TOOLS, None), FAILED],
        usage=[Usage("11111111", PRO, 1, 0, (6121, 42, 6120, 0, 0)), Usage("35f9c6c3", PRO, 8, 0, ALL_TOOLS)],
        changes=[Change("35f9c6c3", "edit", "app.py", 1, 1), Change("35f9c6c3", "add", "notes.txt", 2, 0)],
        calls=[Call("35f9c6c3", "read_file"), Call("35f9c6c3", "list_directory"), Call("35f9c6c3", "write_file"), Call("35f9c6c3", "replace"),
               Call("35f9c6c3", "run_shell_command", True, 3), Call("35f9c6c3", "read_file", True), Call("35f9c6c3", "grep_search"),
               Call("35f9c6c3", "run_shell_command")],
        states=("after-run-1", "after-run-2", "after-run-3", "after-run-4", ""),
    ),
    "untrusted": Table(
        [Session("ca1b1d88", "Skip trust", "interactive", 1, 2, 0, [PRO], (4151, 42, 4151, 0, 0), None)],
        usage=[Usage("ca1b1d88", PRO, 1, 0, (4151, 42, 4151, 0, 0))],
    ),
}  # fmt: skip
