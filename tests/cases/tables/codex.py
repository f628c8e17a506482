"""Codex CLI 0.171.0: the rollouts under tests/fixtures/codex, read by hand.

Each response is told by a token_usage_record (6000 input of which 5600 cached, 78 output of which 20 reasoning) and again
by the running totals of token_count, which a fork goes on from its parent's. `codex_exec` is a run without a terminal: its
thread ends with its turn. A thread of the terminal has no end; the client writes none. Code mode runs one tool, `exec`,
whose script calls others: each of them is a call of its own.
"""

from tables import NONE, Call, Change, Compaction, Link, Session, Table, Tokens, Usage

OLD, SOL = "gpt-5.5", "gpt-6.2-sol"
PLAIN = 'Plain question. #plan [{"text": "Answer A."}, {"text": "Answer B."}, {"text": "…'
FORK = 'In this fork, try multiplication. #plan [{"text": "Fork answer: a * b."}]'
FIX = 'Please fix add() in calc.py and add a test. #plan [{"thinking": "Look first.", …'


def _times(count: int) -> Tokens:
    """Return the tokens of *count* responses."""
    return count * 400, count * 78, count * 5600, 0, count * 20


def _answered(session: str, title: str) -> tuple[Session, Usage]:
    """Return a run of one question and one answer."""
    return Session(session, title, "headless", 1, 2, 0, [OLD], _times(1), "complete"), Usage(session, OLD, 1, 0, _times(1))


def _all_answered(*runs: tuple[str, str]) -> Table:
    rows = [_answered(session, title) for session, title in runs]
    return Table([session for session, _ in rows], usage=[usage for _, usage in rows])


LONG_JOB: Tokens = (1994400 + 3 * 400, 90 + 3 * 78, 4 * 5600, 0, 4 * 20)
CHANGED = [("edit", "README.md", 1, 1), ("edit", "calc.py", 1, 1), ("add", "test_calc.py", 5, 0)]

TABLES = {
    # The compaction's own request is the second of four responses.
    "auto_compact": Table(
        [Session("01a22e50-9ddf", 'Do a long job. #plan [{"text": "Step one.", "tools": [["exec_command", {"cmd": …', "headless", 1, 4, 2, [OLD], LONG_JOB,
                 "complete")],
        usage=[Usage("01a22e50-9ddf", OLD, 4, 0, LONG_JOB)],
        calls=[Call("01a22e50-9ddf", "exec_command", False, 0)] * 2,
        compactions=[Compaction("01a22e50-9ddf", None, None, None)],
    ),
    "codemode_auto_compact": Table(
        [Session("01a22e53-4ca5", 'Do a long job. #plan [{"text": "Step one.", "tools": [["custom:exec", "const r …', "headless", 1, 4, 4, [SOL], LONG_JOB,
                 "complete")],
        usage=[Usage("01a22e53-4ca5", SOL, 4, 0, LONG_JOB)],
        calls=[Call("01a22e53-4ca5", "exec"), Call("01a22e53-4ca5", "exec_command", False, 0)] * 2,
        compactions=[Compaction("01a22e53-4ca5", None, None, None)],
    ),
    "codemode_killed": Table(
        [Session("01a22e53-63cb", 'Give a slow answer. #plan [{"text": "Reading first.", "tools": [["custom:exec",…', "headless", 2, 4, 2, [SOL], _times(2),
                 "complete")],
        usage=[Usage("01a22e53-63cb", SOL, 2, 0, _times(2))],
        calls=[Call("01a22e53-63cb", "exec"), Call("01a22e53-63cb", "exec_command", False, 0)],
    ),
    # The task reaches the child as an encrypted message of its parent.
    "codemode_subagent": Table(
        [Session("01a22e53-5951", 'Use a subagent. #plan [{"text": "Delegating.", "tools": [["collaboration.spawn_…', "headless", 1, 4, 2, [SOL], _times(3),
                 "complete"),
         Session("01a22e53-5c2a", None, "subagent", 0, 2, 2, [SOL], _times(2), "complete", "01a22e53-5951")],
        links=[Link("01a22e53-5c2a", "01a22e53-5951", "subagent", "call that spawned the agent", "call_6b0de83c0035")],
        usage=[Usage("01a22e53-5951", SOL, 3, 0, _times(3)), Usage("01a22e53-5c2a", SOL, 2, 0, _times(2))],
        calls=[Call("01a22e53-5951", "spawn_agent"), Call("01a22e53-5951", "wait_agent"),
               Call("01a22e53-5c2a", "exec"), Call("01a22e53-5c2a", "exec_command", False, 0)],
    ),
    # Six scripts: two read, three patch, one fails; each ran one tool.
    "codemode_turns": Table(
        [Session("01a22e53-2b83", FIX, "headless", 3, 8, 12, [SOL], _times(8), "complete"),
         Session("01a22e53-47bf", FORK, "headless", 1, 2, 0, [SOL], _times(1), "complete",
                 "01a22e53-2b83")],
        links=[Link("01a22e53-47bf", "01a22e53-2b83", "fork", "forked_from_id", "71")],
        usage=[Usage("01a22e53-2b83", SOL, 8, 0, _times(8)), Usage("01a22e53-47bf", SOL, 1, 0, _times(1))],
        changes=[Change("01a22e53-2b83", *changed) for changed in CHANGED],
        calls=[Call("01a22e53-2b83", "exec"), Call("01a22e53-2b83", "exec"), Call("01a22e53-2b83", "exec_command", False, 0),
               Call("01a22e53-2b83", "exec_command", False, 0), Call("01a22e53-2b83", "exec"), Call("01a22e53-2b83", "apply_patch"),
               Call("01a22e53-2b83", "exec"), Call("01a22e53-2b83", "apply_patch"), Call("01a22e53-2b83", "exec"),
               Call("01a22e53-2b83", "exec_command", True, 1), Call("01a22e53-2b83", "exec"), Call("01a22e53-2b83", "apply_patch")],
    ),
    "error": Table([Session("01a22e51-1002", 'Fail please. #plan [{"error": 400, "text": "mock says no"}]', "headless", 1, 1, 0, [], NONE, "error")]),
    "hook_failures": _all_answered(("01a22e51-7cf6", PLAIN), ("01a22e51-9278", PLAIN), ("01a22e51-dc79", PLAIN)),
    "inject": _all_answered(("01a22e51-1b4d", PLAIN), ("01a22e51-22fa", PLAIN), ("01a22e51-2c57", PLAIN)),
    # One thread with /rename, /compact (its request is the third response) and an interrupt; /new and /clear began the others,
    # which name no parent. The names stand in session_index.jsonl, the last one counts.
    "interactive": Table(
        [Session("01a22e52-28ad", "my-named-session", "interactive", 3, 6, 1, [OLD], _times(4), None),
         Session("01a22e52-a220", 'In the new chat. #plan [{"text": "New chat answer."}]', "interactive", 1, 2, 0, [OLD], _times(1), None),
         Session("01a22e52-ba3d", 'In the cleared chat. #plan [{"text": "Cleared chat answer."…', "interactive", 1, 2, 0, [OLD], _times(1), None)],
        usage=[Usage("01a22e52-28ad", OLD, 4, 0, _times(4)), Usage("01a22e52-a220", OLD, 1, 0, _times(1)), Usage("01a22e52-ba3d", OLD, 1, 0, _times(1))],
        changes=[Change("01a22e52-28ad", "write", "made_by_bash", None, None, "shell")],
        calls=[Call("01a22e52-28ad", "exec_command", False, 0)],
        compactions=[Compaction("01a22e52-28ad", None, None, None)],
    ),
    "killed": Table(
        [Session("01a22e50-e21a", 'Give a slow answer. #plan [{"text": "Reading first.", "tools": [["exec_command"…', "headless", 2, 4, 1, [OLD], _times(2),
                 "complete")],
        usage=[Usage("01a22e50-e21a", OLD, 2, 0, _times(2))],
        calls=[Call("01a22e50-e21a", "exec_command", False, 0)],
    ),
    "prompt_blocked": Table([Session("01a22e51-675c", None, "headless", 0, 0, 0, [], NONE, "complete")]),
    "stop_block": Table(
        [Session("01a22e51-45ce", PLAIN, "headless", 1, 3, 0, [OLD], _times(2), "complete")],
        usage=[Usage("01a22e51-45ce", OLD, 2, 0, _times(2))],
    ),
    # The parent's model gave the child its task: it is no prompt of a human and no turn.
    "subagent": Table(
        [Session("01a22e50-b371", 'Use a subagent. #plan [{"text": "Delegating.", "tools": [["multi_agent_v1.spawn…', "headless", 1, 4, 2, [OLD], _times(3),
                 "complete"),
         Session("01a22e50-bca7", None, "subagent", 0, 2, 1, [OLD], _times(2), "complete", "01a22e50-b371")],
        links=[Link("01a22e50-bca7", "01a22e50-b371", "subagent", "call that spawned the agent", "call_6b0de7830037")],
        usage=[Usage("01a22e50-b371", OLD, 3, 0, _times(3)), Usage("01a22e50-bca7", OLD, 2, 0, _times(2))],
        calls=[Call("01a22e50-b371", "spawn_agent"), Call("01a22e50-b371", "exec_command", False, 0), Call("01a22e50-bca7", "exec_command", False, 0)],
    ),
    "tool_denied": Table(
        [Session("01a22e51-bed8", 'Tool question. #plan [{"tools": [["exec_command", {"cmd": "echo tool"}]]}, {"te…', "headless", 1, 2, 1, [OLD], _times(2),
                 "complete")],
        usage=[Usage("01a22e51-bed8", OLD, 2, 0, _times(2))],
        calls=[Call("01a22e51-bed8", "exec_command", True)],
    ),
    # The first file holds nothing but its session_meta.
    "trust": Table(
        [Session("01a22e53-00dd", None, "interactive", 0, 0, 0, [], NONE, None),
         _answered("01a22e53-21b8", 'Hooks trusted? #plan [{"text": "Yes."}]')[0],
         _answered("01a22e53-26b6", 'Hooks trusted after a change? #plan [{"text": "No."}]')[0]],
        usage=[Usage("01a22e53-21b8", OLD, 1, 0, _times(1)), Usage("01a22e53-26b6", OLD, 1, 0, _times(1))],
    ),
    "turns": Table(
        [Session("01a22e50-6369", FIX, "headless", 3, 8, 6, [OLD], _times(8), "complete"),
         Session("01a22e50-9396", FORK, "headless", 1, 2, 0, [OLD], _times(1), "complete",
                 "01a22e50-6369")],
        links=[Link("01a22e50-9396", "01a22e50-6369", "fork", "forked_from_id", "67")],
        usage=[Usage("01a22e50-6369", OLD, 8, 0, _times(8)), Usage("01a22e50-9396", OLD, 1, 0, _times(1))],
        changes=[Change("01a22e50-6369", *changed) for changed in CHANGED],
        calls=[Call("01a22e50-6369", "exec_command", False, 0), Call("01a22e50-6369", "exec_command", False, 0), Call("01a22e50-6369", "apply_patch", False, 0),
               Call("01a22e50-6369", "apply_patch", False, 0), Call("01a22e50-6369", "exec_command", True, 1), Call("01a22e50-6369", "apply_patch", False, 0)],
    ),
    "untrusted": _all_answered(("01a22e50-5f68", 'Are hooks run? #plan [{"text": "No trust."}]')),
}  # fmt: skip
