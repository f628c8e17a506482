"""Claude Code 2.1.332: the transcripts under tests/fixtures/claude, read by hand.

A response is written once per content block under one `message.id`, so that each id counts once. `sdk-cli` is a run
without a terminal. `cost-state` stands at the clean end of a process only.
"""

from tables import NONE, Call, Change, Compaction, Link, Session, Table, Usage

OPUS = "claude-opus-5-5"
FORK = 'In this fork, try multiplication. #plan [{"text": "Fork answer: a * b."}]'
FIX = 'Please fix add() in calc.py and add a test. #plan [{"thinking": "Look first.", …'
PLAIN = 'Plain question. #plan [{"text": "Answer A."}, {"text": "Answer B."}, {"text": "…'
ONE = (12, 78, 5600, 340, 0)
TWO = (24, 156, 11200, 680, 0)


def _plain(session: str) -> tuple[Session, Usage]:
    """Return a run of one question and one answer."""
    return Session(session, PLAIN, "headless", 1, 2, 0, [OPUS], ONE, "exit"), Usage(session, OPUS, 1, 0, ONE)


def _all_plain(*sessions: str) -> Table:
    rows = [_plain(session) for session in sessions]
    return Table([session for session, _ in rows], usage=[usage for _, usage in rows])


TABLES = {
    "auto_compact": Table(
        [Session("f697435c", 'Do a long job. #plan [{"text": "Step one.", "tools": [["Bash", {"command": "ech…', "headless", 1, 3, 1, [OPUS],
                 (1212, 168, 990600, 5340, 0), "exit")],
        usage=[Usage("f697435c", OPUS, 2, 0, (1200 + 12, 90 + 78, 985000 + 5600, 5000 + 340, 0))],
        calls=[Call("f697435c", "Bash")],
        compactions=[Compaction("f697435c", "auto", 991298, 2566)],
    ),
    # The request that wrote the summary stands in no record but cost-state.
    "compact": Table(
        [Session("efd7f8fa", 'Start a session to compact. #plan [{"text": "Base answer.", "tools": [["Bash", …', "headless", 2, 5, 1, [OPUS],
                 (36, 234, 16800, 1020, 0), "exit")],
        usage=[Usage("efd7f8fa", OPUS, 3, 0, (36, 234, 16800, 1020, 0))],
        calls=[Call("efd7f8fa", "Bash")],
        compactions=[Compaction("efd7f8fa", "manual", 6030, 2624)],
    ),
    "error": Table([Session("25d55b3b", 'Fail please. #plan [{"error": 400, "text": "mock says no"}, {"error": 400, "tex…', "headless", 1, 1, 0, [],
                            NONE, "exit", is_turn_open=True)]),
    "hook_failures": _all_plain("1abbe974", "a2d0dee6", "f9effe81"),
    "inject": _all_plain("4c3aeda7", "63e11589", "6c53d695", "eec21d8f"),
    # Three prompts, one of them interrupted after 21 characters; /rename; /compact; /clear began the second file.
    "interactive": Table(
        [Session("8c5a1350", "my-named-session", "interactive", 1, 2, 0, [OPUS], ONE, "exit", "ffb628b5"),
         Session("ffb628b5", "my-named-session", "interactive", 3, 7, 1, [OPUS], (48, 235, 22400, 1360, 0), "exit")],
        links=[Link("8c5a1350", "ffb628b5", "clear", "session_id of the process", None)],
        usage=[Usage("8c5a1350", OPUS, 1, 0, ONE), Usage("ffb628b5", OPUS, 4, 0, (4 * 12, 3 * 78 + 1, 4 * 5600, 4 * 340, 0))],
        changes=[Change("ffb628b5", "write", "made_by_bash", None, None, "shell")],
        calls=[Call("ffb628b5", "Bash")],
        compactions=[Compaction("ffb628b5", "manual", 5960, 2897)],
    ),
    # The answer that was being written when the process was killed is nowhere.
    "killed": Table(
        [Session("71f8a5f7", 'Give a slow answer. #plan [{"text": "Reading first.", "tools": [["Bash", {"comm…', "headless", 2, 4, 1, [OPUS], TWO, "exit")],
        usage=[Usage("71f8a5f7", OPUS, 2, 0, TWO)],
        calls=[Call("71f8a5f7", "Bash")],
    ),
    "prompt_blocked": Table([Session("57327129", None, "headless", 0, 0, 0, [], NONE, "exit")]),
    "stop_block": Table(
        [Session("2f6363d8", PLAIN, "headless", 1, 3, 0, [OPUS], TWO, "exit")],
        usage=[Usage("2f6363d8", OPUS, 2, 0, TWO)],
    ),
    "subagent": Table(
        [Session("9d482481", 'Use a subagent. #plan [{"text": "Delegating.", "tools": [["Agent", {"descriptio…', "headless", 1, 3, 1, [OPUS], TWO, "exit"),
         Session("9d482481:afbe4437", "Count files", "subagent", 0, 2, 1, [OPUS], TWO, "complete", "9d482481")],
        links=[Link("9d482481:afbe4437", "9d482481", "subagent", "meta.json", "toolu_mock6b0de7830025")],
        usage=[Usage("9d482481", OPUS, 2, 0, TWO), Usage("9d482481:afbe4437", OPUS, 2, 0, TWO)],
        calls=[Call("9d482481", "Agent"), Call("9d482481:afbe4437", "Bash")],
    ),
    "tool_denied": Table(
        [Session("2708e0e3", 'Tool question. #plan [{"tools": [["Bash", {"command": "echo tool"}]]}, {"text":…', "headless", 1, 2, 1, [OPUS], TWO, "exit")],
        usage=[Usage("2708e0e3", OPUS, 2, 0, TWO)],
        calls=[Call("2708e0e3", "Bash", True)],
    ),
    # Eight responses in the first file; the fork's file repeats them and adds one. The fork's cost-state holds the parent's costs.
    "turns": Table(
        [Session("013aefe6", FORK, "headless", 1, 2, 0, [OPUS], ONE, "exit", "03d02093"),
         Session("03d02093", FIX, "headless", 3, 8, 6, [OPUS], (104, 601, 48200, 2720, 0), "exit")],
        links=[Link("013aefe6", "03d02093", "fork", "requestSessionId", "a2458082-5428-4bbe-84c5-b38d2406c978")],
        usage=[Usage("013aefe6", OPUS, 1, 8, ONE), Usage("03d02093", OPUS, 8, 0, (7 * 12 + 20, 7 * 78 + 55, 7 * 5600 + 9000, 8 * 340, 0))],
        changes=[Change("013aefe6", "edit", "README.md", None, None, "shell", True), Change("013aefe6", "edit", "calc.py", 1, 1, is_copy=True),
                 Change("013aefe6", "add", "test_calc.py", 5, 0, is_copy=True), Change("03d02093", "edit", "README.md", None, None, "shell"),
                 Change("03d02093", "edit", "calc.py", 1, 1), Change("03d02093", "add", "test_calc.py", 5, 0)],
        calls=[*[Call("013aefe6", name, error, code, True) for name, error, code in (
                   ("Read", False, None), ("Bash", False, None), ("Edit", False, None), ("Write", False, None), ("Bash", True, 1), ("Bash", False, None))],
               *[Call("03d02093", name, error, code) for name, error, code in (
                   ("Read", False, None), ("Bash", False, None), ("Edit", False, None), ("Write", False, None), ("Bash", True, 1), ("Bash", False, None))]],
    ),
}  # fmt: skip
