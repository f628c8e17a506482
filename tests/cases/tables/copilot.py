"""GitHub Copilot CLI 1.0.102: the event logs under tests/fixtures/copilot, read by hand.

`inputTokens` holds the cached tokens. Each response is a `session.usage_record`; the totals of `session.shutdown` hold the
parent's part in a fork and leave out what a rewind dropped. Only a terminal writes the model that a session starts with.
"""

from tables import NONE, Call, Change, Compaction, Link, Session, Table, Tokens, Usage

SONNET, GPT = "claude-sonnet-4.6", "gpt-5.4"
FORKED: Tokens = (44213, 252, 44208, 0, 30)
"""Six responses: input 14581, 14627, 14734, 14777, 14855, 14847."""
AGENT = "7caeaca1:fcbb02ed"
TOOLS: Tokens = (57130, 378, 57125, 0, 45)


def _asked(session: str, title: str, tokens: Tokens) -> tuple[Session, Usage]:
    """Return a run of one question and one answer."""
    return Session(session, title, "headless", 1, 2, 0, [SONNET], tokens, "routine"), Usage(session, SONNET, 1, 0, tokens)


REPO_HOOKS = [_asked("5b2b1a32", "Repo hooks, folder trusted", (6104, 42, 6103, 0, 5)), _asked("6b674e12", "Inline user hooks", (6103, 42, 6102, 0, 5)),
              _asked("e2bb6009", "Repo hooks, folder not trusted", (6104, 42, 6104, 0, 5))]  # fmt: skip
ONE_LINE = [_asked("11111111", "fixed one", (6100, 42, 6099, 0, 5)), _asked("c78e715e", "Machine readable please", (6102, 42, 6101, 0, 5))]

TABLES = {
    "auto_compact": Table(
        [Session("522ebd23", "Work until the context is full", "headless", 2, 12, 8, [SONNET], (106842, 484, 106841, 0, 50), "routine")],
        usage=[Usage("522ebd23", SONNET, 10, 0, (7250 + 8500 + 9750 + 11000 + 12250 + 13500 + 14750 + 16000 + 7599 + 6243, 8 * 50 + 2 * 42,
                                                7250 + 8500 + 9750 + 11000 + 12250 + 13500 + 14750 + 16000 + 7598 + 6243, 0, 50))],
        calls=[Call("522ebd23", "bash", False, 0)] * 8,
        compactions=[Compaction("522ebd23", "threshold", 19052, 12574), Compaction("522ebd23", "threshold", 22249, 15771),
                     Compaction("522ebd23", "threshold", 28601, 15771)],
    ),
    "inject": Table(
        [Session("3ed686c3", "Injection test", "headless", 2, 4, 2, [SONNET], (24830, 168, 24826, 0, 20), "routine")],
        usage=[Usage("3ed686c3", SONNET, 4, 0, (6116 + 6181 + 6260 + 6273, 168, 6115 + 6180 + 6259 + 6272, 0, 20))],
        calls=[Call("3ed686c3", "view"), Call("3ed686c3", "view", True)],
    ),
    "inject_resume": Table(
        [Session("3237ee7f", "Prompt 1", "headless", 2, 4, 0, [SONNET], (6116 + 6141, 84, 6115 + 6141, 0, 10), "routine")],
        usage=[Usage("3237ee7f", SONNET, 2, 0, (6116 + 6141, 84, 6115 + 6141, 0, 10))],
    ),
    # /fork copied all events up to 18c90e86; /rewind in the fork, one more prompt there; /clear began the third session.
    "interactive": Table(
        [Session("2b746364", "hello there", "interactive", 4, 8, 2, [SONNET], FORKED, "routine"),
         Session("c17cca9b", "a new beginning", "interactive", 1, 2, 0, [SONNET], (7291, 42, 7291, 0, 5), "routine"),
         Session("d2b70ce3", "branch-two", "interactive", 1, 2, 0, [SONNET], (7444, 42, 7444, 0, 5), "routine", "2b746364")],
        links=[Link("d2b70ce3", "2b746364", "fork", "session.info of the fork", "18c90e86-09b3-46a8-8f1f-4eb76ae8c669")],
        usage=[Usage("2b746364", SONNET, 6, 0, FORKED), Usage("c17cca9b", SONNET, 1, 0, (7291, 42, 7291, 0, 5)),
               Usage("d2b70ce3", SONNET, 1, 6, (7444, 42, 7444, 0, 5))],
        changes=[Change("2b746364", "add", "inter.txt", 1, 0), Change("d2b70ce3", "add", "inter.txt", 1, 0, is_copy=True)],
        calls=[Call("2b746364", "create"), Call("2b746364", "bash", False, 0),
               Call("d2b70ce3", "create", is_copy=True), Call("d2b70ce3", "bash", False, 0, True)],
        compactions=[Compaction("2b746364", "manual", 15025, 14818), Compaction("d2b70ce3", "manual", 15025, 14818, True)],
    ),
    "killed@after-kill": Table(
        [Session("3a365c84", "Write a file and then talk", "headless", 1, 1, 1, [SONNET], (6102, 42, 6102, 0, 5), None, is_turn_open=True)],
        usage=[Usage("3a365c84", SONNET, 1, 0, (6102, 42, 6102, 0, 5))],
        changes=[Change("3a365c84", "add", "a.txt", 1, 0)],
        calls=[Call("3a365c84", "create")],
        states=("after-kill",),
    ),
    "killed": Table(
        [Session("3a365c84", "Write a file and then talk", "headless", 2, 3, 1, [SONNET], (6102 + 6185, 84, 6102 + 6185, 0, 10), "routine")],
        usage=[Usage("3a365c84", SONNET, 2, 0, (6102 + 6185, 84, 6102 + 6185, 0, 10))],
        changes=[Change("3a365c84", "add", "a.txt", 1, 0)],
        calls=[Call("3a365c84", "create")],
    ),
    # The second user message is the reason that a hook gave against the end of the turn: no prompt, though it has no mark.
    "pascal": Table(
        [Session("34825f19", "Pascal case hooks", "headless", 1, 3, 3, [SONNET], (24803, 168, 24801, 0, 20), "routine")],
        usage=[Usage("34825f19", SONNET, 4, 0, (6101 + 6193 + 6244 + 6265, 168, 6101 + 6192 + 6244 + 6264, 0, 20))],
        changes=[Change("34825f19", "add", "p.txt", 1, 0)],
        calls=[Call("34825f19", "bash", True), Call("34825f19", "create"), Call("34825f19", "view", True)],
    ),
    # The patch adds the lines `one` and `two`; the diff shown for it has a third, empty one after the last newline.
    "patch": Table(
        [Session("a352dac2", "Patch it over completions", "headless", 1, 2, 1, [GPT], (6498 + 6567, 84, 6497 + 6566, 0, 10), "routine"),
         Session("c78122ec", "Patch it over responses", "headless", 1, 2, 1, [GPT], (6516 + 6582, 84, 6515 + 6581, 0, 10), "routine")],
        usage=[Usage("a352dac2", GPT, 2, 0, (6498 + 6567, 84, 6497 + 6566, 0, 10)), Usage("c78122ec", GPT, 2, 0, (6516 + 6582, 84, 6515 + 6581, 0, 10))],
        changes=[Change("a352dac2", "edit", "app.py", 1, 1), Change("a352dac2", "add", "extra.txt", 2, 0),
                 Change("c78122ec", "edit", "app.py", 1, 1), Change("c78122ec", "add", "extra.txt", 2, 0)],
        calls=[Call("a352dac2", "apply_patch"), Call("c78122ec", "apply_patch")],
    ),
    "repo_hooks": Table([session for session, _ in REPO_HOOKS], usage=[usage for _, usage in REPO_HOOKS]),
    # At the end the file knows A and C only, and so do its totals.
    "rewind": Table(
        [Session("e577f4dc", "prompt A", "interactive", 2, 4, 0, [SONNET], (7288 + 7307, 84, 7288 + 7307, 0, 10), "routine")],
        usage=[Usage("e577f4dc", SONNET, 2, 0, (7288 + 7307, 84, 7288 + 7307, 0, 10))],
    ),
    # Who read the file in time knows what B cost; undone it is all the same, and its request had the number that C's has again.
    "rewind@all": Table(
        [Session("e577f4dc", "prompt A", "interactive", 2, 4, 0, [SONNET], (7288 + 7309 + 7307, 126, 7288 + 7309 + 7307, 0, 15), "routine")],
        usage=[Usage("e577f4dc", SONNET, 3, 0, (7288 + 7309 + 7307, 126, 7288 + 7309 + 7307, 0, 15))],
        states=("1-A", "2-B", "3-rewound", "4-C", "5-exit", ""),
    ),
    "rewind@2-B": Table(
        [Session("e577f4dc", "prompt A", "interactive", 2, 4, 0, [SONNET], (7288 + 7309, 84, 7288 + 7309, 0, 10), None)],
        usage=[Usage("e577f4dc", SONNET, 2, 0, (7288 + 7309, 84, 7288 + 7309, 0, 10))],
        states=("1-A", "2-B"),
    ),
    # The shutdown's totals are those of both.
    "subagent": Table(
        [Session("7caeaca1", "Where is greet?", "headless", 1, 3, 1, [SONNET], (6102 + 6150, 84, 6101 + 6150, 0, 10), "routine"),
         Session(AGENT, "Find greet", "subagent", 0, 1, 1, [SONNET], (1959 + 2001, 84, 1958 + 2000, 0, 10), "complete", "7caeaca1")],
        links=[Link(AGENT, "7caeaca1", "subagent", "agentId of the events", "call_0001")],
        usage=[Usage("7caeaca1", SONNET, 2, 0, (6102 + 6150, 84, 6101 + 6150, 0, 10)), Usage(AGENT, SONNET, 2, 0, (1959 + 2001, 84, 1958 + 2000, 0, 10))],
        calls=[Call("7caeaca1", "task"), Call(AGENT, "view")],
    ),
    "tools": Table(
        [ONE_LINE[0][0],
         Session("2032cca2", "Make the greeting louder and keep notes", "headless", 3, 8, 8, [SONNET], TOOLS, "routine"),
         Session("670b5c0d", "This one fails at the model", "headless", 1, 1, 0, [], NONE, "routine", is_turn_open=True),
         ONE_LINE[1][0]],
        usage=[ONE_LINE[0][1],
               Usage("2032cca2", SONNET, 9, 0, (6104 + 6176 + 6230 + 6292 + 6335 + 6386 + 6446 + 6570 + 6591, 9 * 42,
                                                6103 + 6176 + 6229 + 6291 + 6334 + 6386 + 6446 + 6570 + 6590, 0, 45)),
               ONE_LINE[1][1]],
        changes=[Change("2032cca2", "edit", "app.py", 1, 1), Change("2032cca2", "add", "notes.txt", 2, 0)],
        calls=[Call("2032cca2", "view"), Call("2032cca2", "view"), Call("2032cca2", "create"), Call("2032cca2", "edit"), Call("2032cca2", "bash", True, 3),
               Call("2032cca2", "view", True), Call("2032cca2", "grep"), Call("2032cca2", "bash", False, 0)],
    ),
}  # fmt: skip
