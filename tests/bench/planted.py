"""Sessions of the four hosts with planted facts: what a next session would have to know, in words of many kinds."""

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from generate import new_id

MODULES = ["ledger", "router", "parser", "uploader", "scheduler", "mailer", "billing", "gateway", "importer", "notifier", "renderer", "indexer"]
NAMES = ["amber", "birch", "cobalt", "delta", "ember", "falcon", "garnet", "hazel", "indigo", "jasper", "krypton", "linden", "maple", "nickel", "onyx"]
FILLER = [
    "Reading the file now.", "The structure is clear.", "Let me look at the callers as well.", "That test passes.", "I have looked at the config.",
    "The imports are sorted.", "Here is what the function does.", "Nothing else refers to it.", "The types check out.", "Moving on to the next part.",
]  # fmt: skip
TALK = [
    "I read {a}_{b}.py up to line {n}.", "There are {n} usages of {a}_{b}.", "The diff touches {a}/{b}.ts and nothing else.", "`{a}.{b}()` returns early here.",
    "{a}-{b} took {n} ms in the profile before.", "The {a} module imports {b} because of its types.", "I should still look at {a}/{b}.", "Only {a} uses {b}.",
    "The test of {a} prints {n} lines.", "What remains of the {a} refactoring is mechanical.", "Version {n} of {b} is pinned.", "Should {a} call {b}?",
]  # fmt: skip
"""Talk that looks like facts and is none."""
DECISIONS = [
    "We keep {x} over {y}: it survives a restart.", "I went with {x} rather than {y} because it needs no lock.", "Decision: {x}, since {y} loses order.",
    "{x} it is, {y} was twice as slow.", "Chose {x} instead of {y} for the smaller memory.", "Let's use {x}; {y} has no maintained client.",
    "Settled on {x}. {y} cannot stream.", "The reason for {x} and not {y} is the licence.",
]  # fmt: skip
FIGURES = [
    "The timeout is {n} ms now.", "p99 came down to {n} ms.", "The pool holds {n} connections.", "Batches of {n} rows are the sweet spot.",
    "It listens on port {n}.", "The cache keeps {n} entries.", "Peak memory is {n} MB.", "Retries stop after {n} seconds.",
]  # fmt: skip
OPENS = [
    "Still open: the {x} path on Windows.", "Not done yet: {x} pagination.", "Remaining: {x} needs its migration.", "TODO: cover {x} with a test.",
    "What is left is the {x} rollback.", "Next step: wire {x} into the CLI.", "Open question: who owns {x}?", "I have not looked at {x} encoding.",
]  # fmt: skip
WISHES = [
    "Please never touch the {x} fixtures.", "Keep {x} backwards compatible, whatever happens.", "I want {x} without new dependencies.",
    "Don't rename anything in {x}.", "Always run the {x} suite before you stop.", "No emojis in the {x} messages, please.",
    "Use British spelling in the {x} docs.", "The {x} output must stay sorted.",
]  # fmt: skip
FAILURES = [
    ("pytest tests/{x}", "E   AssertionError: {n} != 0"), ("make {x}", "make: *** [{x}] Error {n}"), ("npm run {x}", "Error: Cannot find module './{x}{n}'"),
    ("cargo test {x}", "error[E0{n}]: mismatched types"), ("go build ./{x}", "./{x}.go:{n}:2: undefined: Client"),
]  # fmt: skip


class Fact(NamedTuple):
    """One thing planted, and the words by which a restore shows that it holds it."""

    kind: str
    text: str
    signs: tuple[str, ...]


class Planted(NamedTuple):
    """One session and its facts."""

    host: str
    session: str
    project: Path
    file: str
    facts: tuple[Fact, ...]


class Turn(NamedTuple):
    """What happens in a turn: words, and perhaps a tool call with its result."""

    prompt: str | None
    answer: str | None
    tool: tuple[str, dict[str, Any], str, bool] | None = None
    """`shell` or `edit`, its input, the output, and whether it failed."""


def facts_of(rng: random.Random, number: int) -> tuple[str, list[Fact]]:
    """Return the file that the session edits, and its facts."""
    module, name, other = MODULES[number % len(MODULES)], NAMES[number % len(NAMES)], NAMES[(number + 4) % len(NAMES)]
    file, figure = f"src/{module}_{name}.py", 100 + number * 7
    x, y = f"{name}-{module}", f"{other}-{module}"
    command, error = rng.choice(FAILURES)
    command, error = command.format(x=name), error.format(x=name, n=figure)
    return file, [
        Fact("decision", f"{rng.choice(DECISIONS).format(x=x, y=y)} It concerns {file}.", (x, y)),
        Fact("figure", rng.choice(FIGURES).format(n=figure), (str(figure),)),
        Fact("failure", f"`{command}` failed: {error}; the edit of {file} fixed it.", (command, file.rsplit("/", 1)[1])),
        Fact("open", rng.choice(OPENS).format(x=f"{other}-{name}"), (f"{other}-{name}",)),
        Fact("wish", rng.choice(WISHES).format(x=f"{name}{module}"), (f"{name}{module}",)),
        Fact("edit", f"{file} is in the middle of an edit.", (file,)),
    ]


def turns_of(rng: random.Random, project: Path, file: str, facts: list[Fact]) -> list[Turn]:
    """Return the turns that plant the facts among others."""
    decision, figure, failure, still_open, wish, _ = facts
    command, error = failure.text.split("` failed: ", 1)
    command, error = command.removeprefix("`"), error.split("; the edit", 1)[0]
    edit = ("edit", {"path": str(project / file), "old": "a = 1", "new": "a = 2"}, "ok", False)
    turns = [Turn(f"Work on {file}. {wish.text}", rng.choice(FILLER)), Turn(None, None, ("shell", {"command": "ls src"}, "a b", False))]
    planted = [
        [Turn(None, f"{rng.choice(FILLER)} {decision.text}")],
        [Turn(None, None, ("shell", {"command": command}, f"collected 3\n{error}\n1 failed", True)), Turn(None, rng.choice(FILLER), edit),
         Turn(None, None, ("shell", {"command": command}, "3 passed", False))],
        [Turn(None, figure.text)],
    ]  # fmt: skip
    rng.shuffle(planted)
    for group in planted:
        turns += group
        turns += [_talk(rng) for _ in range(rng.randrange(6, 18))]
    return [*turns, Turn("Where are we?", f"{rng.choice(FILLER)} {still_open.text}", edit)]


def _talk(rng: random.Random) -> Turn:
    """Return a turn of which nobody needs to know later."""
    said = rng.choice(TALK).format(a=rng.choice(MODULES), b=rng.choice(MODULES), n=rng.randrange(2, 90))
    return Turn(f"And {rng.choice(MODULES)}?" if rng.random() < 0.3 else None, f"{rng.choice(FILLER)} {said}")


def plant(root: Path, sessions: int, seed: int = 11) -> list[Planted]:
    """Write the sessions below *root*, each in a project folder of its own, and return them; the projects are made by the caller."""
    rng, found = random.Random(seed), []
    for number in range(sessions):
        host = tuple(WRITERS)[number % len(WRITERS)]
        file, facts = facts_of(rng, number)
        project, session = root / "projects" / f"p{number}", new_id(rng)
        at = datetime.now(UTC) - timedelta(hours=2)
        WRITERS[host](root, session, project, turns_of(rng, project, file, facts), at)
        found.append(Planted(host, session, project, file, tuple(facts)))
    return found


def _stamp(at: datetime, number: int) -> str:
    return (at + timedelta(seconds=20 * number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def _claude(root: Path, session: str, project: Path, turns: list[Turn], at: datetime) -> None:
    records: list[dict[str, Any]] = []

    def add(kind: str, message: dict[str, Any], **more: Any) -> None:
        number = len(records)
        records.append({"type": kind, "uuid": f"{session[:8]}-{number}", "timestamp": _stamp(at, number), "sessionId": session, "cwd": str(project),
                        "version": "2.1.332", "gitBranch": "main", "isSidechain": False, "message": message, **more})  # fmt: skip

    def assistant(number: int, block: dict[str, Any]) -> None:
        add("assistant", {"id": f"m{number}", "model": "claude-opus-5-5", "role": "assistant", "content": [block],
                          "usage": {"input_tokens": 10, "output_tokens": 10}})  # fmt: skip

    for number, turn in enumerate(turns):
        if turn.prompt:
            add("user", {"role": "user", "content": turn.prompt})
        if turn.answer:
            assistant(number, {"type": "text", "text": turn.answer})
        if turn.tool:
            kind, given, output, failed = turn.tool
            name, value = ("Bash", given) if kind == "shell" else ("Edit", {"file_path": given["path"], "old_string": given["old"], "new_string": given["new"]})
            assistant(1000 + number, {"type": "tool_use", "id": f"t{number}", "name": name, "input": value})
            result: Any = f"Error: Exit code 1\n{output}" if failed else {"stdout": output, "stderr": ""}
            if kind == "edit":
                patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{given['old']}", f"+{given['new']}"]}]
                result = {"filePath": given["path"], "oldString": given["old"], "newString": given["new"], "structuredPatch": patch}
            add("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": output, "is_error": failed}]},
                toolUseResult=result)  # fmt: skip
    _write(root / ".claude/projects" / str(project).replace("/", "-") / f"{session}.jsonl", records)


def _codex(root: Path, session: str, project: Path, turns: list[Turn], at: datetime) -> None:
    records: list[dict[str, Any]] = []

    def add(kind: str, payload: dict[str, Any]) -> None:
        records.append({"timestamp": _stamp(at, len(records)), "ordinal": len(records), "type": kind, "payload": payload})

    def item(value: dict[str, Any]) -> None:
        add("event_msg", {"type": "item_completed", "thread_id": session, "turn_id": "t", "item": value})

    add("session_meta", {"id": session, "session_id": session, "timestamp": _stamp(at, 0), "cwd": str(project), "originator": "codex-tui",
                         "cli_version": "0.171.0", "source": "cli", "git": {"branch": "main"}})  # fmt: skip
    add("turn_context", {"turn_id": "t", "cwd": str(project), "model": "gpt-5.5"})
    for number, turn in enumerate(turns):
        if turn.prompt:
            item({"type": "UserMessage", "id": f"u{number}", "content": [{"type": "text", "text": turn.prompt}]})
        if turn.answer:
            item({"type": "AgentMessage", "id": f"a{number}", "content": [{"type": "Text", "text": turn.answer}]})
        if turn.tool:
            kind, given, output, failed = turn.tool
            call = f"c{number}"
            if kind == "shell":
                add("response_item", {"type": "function_call", "name": "exec_command", "call_id": call, "arguments": json.dumps({"cmd": given["command"]})})
                item({"type": "CommandExecution", "id": call, "command": ["bash", "-lc", given["command"]], "cwd": f"file://{project}",
                      "status": "failed" if failed else "completed", "aggregated_output": output, "exit_code": int(failed)})  # fmt: skip
                add("response_item", {"type": "function_call_output", "call_id": call, "output": output})
            else:
                body = f"*** Begin Patch\n*** Update File: {given['path']}\n@@\n-{given['old']}\n+{given['new']}\n*** End Patch\n"
                add("response_item", {"type": "custom_tool_call", "name": "apply_patch", "call_id": call, "input": body, "status": "completed"})
                add("response_item", {"type": "custom_tool_call_output", "call_id": call, "output": output})
    day = at.strftime("%Y/%m/%d")
    _write(root / ".codex/sessions" / day / f"rollout-{at.strftime('%Y-%m-%dT%H-%M-%S')}-{session}.jsonl", records)


def _gemini(root: Path, session: str, project: Path, turns: list[Turn], at: datetime) -> None:
    records: list[dict[str, Any]] = [{"sessionId": session, "projectHash": "0" * 64, "startTime": _stamp(at, 0), "lastUpdated": _stamp(at, 0), "kind": "main",
                                      "directories": [str(project)]}]  # fmt: skip
    for number, turn in enumerate(turns):
        if turn.prompt:
            records.append({"id": f"{session[:8]}-u{number}", "timestamp": _stamp(at, len(records)), "type": "user", "content": [{"text": turn.prompt}]})
        message: dict[str, Any] = {"id": f"{session[:8]}-g{number}", "timestamp": _stamp(at, len(records)), "type": "gemini", "content": turn.answer or "",
                                   "thoughts": [], "model": "gemini-2.5-pro", "tokens": {"input": 50, "output": 5, "cached": 0, "thoughts": 0, "tool": 0,
                                                                                         "total": 55}}  # fmt: skip
        if turn.tool:
            kind, given, output, failed = turn.tool
            name = "run_shell_command" if kind == "shell" else "replace"
            args = given if kind == "shell" else {"file_path": given["path"], "old_string": given["old"], "new_string": given["new"]}
            text = f"Output: {output}\nExit Code: 1" if failed else output
            message["toolCalls"] = [{"id": f"c{number}", "name": name, "args": args, "status": "success",
                                     "result": [{"functionResponse": {"id": f"c{number}", "name": name, "response": {"output": text}}}]}]  # fmt: skip
        records.append(message)
    folder = root / ".gemini/tmp" / project.name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".project_root").write_text(str(project))
    _write(folder / "chats" / f"session-{at.strftime('%Y-%m-%dT%H-%M')}-{session[:8]}.jsonl", records)


def _copilot(root: Path, session: str, project: Path, turns: list[Turn], at: datetime) -> None:
    records: list[dict[str, Any]] = []

    def add(kind: str, data: dict[str, Any]) -> None:
        records.append({"type": kind, "data": data, "id": f"{session[:8]}-{len(records)}", "timestamp": _stamp(at, len(records))})

    add("session.start", {"sessionId": session, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102", "startTime": _stamp(at, 0),
                          "context": {"cwd": str(project), "gitRoot": str(project), "branch": "main"}})  # fmt: skip
    for number, turn in enumerate(turns):
        if turn.prompt:
            add("user.message", {"content": turn.prompt})
        if turn.answer:
            add("assistant.message", {"messageId": f"m{number}", "model": "claude-sonnet-4.6", "content": turn.answer})
        if turn.tool:
            kind, given, output, failed = turn.tool
            name = "bash" if kind == "shell" else "edit"
            args = given if kind == "shell" else {"path": given["path"], "old_str": given["old"], "new_str": given["new"]}
            add("tool.execution_start", {"toolCallId": f"c{number}", "toolName": name, "arguments": args})
            result = {"content": f"{output}\n<exited with exit code {int(failed)}>" if kind == "shell" else output, "detailedContent": output}
            add("tool.execution_complete", {"toolCallId": f"c{number}", "success": True, "result": result,
                                            **({"shellExecution": {"exitCode": int(failed)}} if kind == "shell" else {})})  # fmt: skip
    _write(root / ".copilot/session-state" / session / "events.jsonl", records)


WRITERS: dict[str, Callable[[Path, str, Path, list[Turn], datetime], None]] = {"claude": _claude, "codex": _codex, "gemini": _gemini, "copilot": _copilot}
