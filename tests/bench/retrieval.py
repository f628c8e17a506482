"""The retrieval benchmark: over 300 invented sessions in the four hosts' formats and over 200 questions, by words, by meaning and by both.

Usage: python tests/bench/retrieval.py [--misses]
A question counts for the session that solved its problem: recall@1, recall@5 and MRR over sessions, in the order of their best places.
"""

import argparse
import json
import os
import sqlite3
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

from retrieval_cases import CHORES, FOREIGN, NEGATIVES, NONSENSE, OWN_LANGUAGE, PROBLEMS, WORDS

HOSTS = ("claude", "codex", "gemini", "copilot")
CWD = "/home/dev/shop"
START = datetime(2026, 3, 1, 8, tzinfo=UTC)
COMMAND = "<command-name>/fork</command-name>\n            <command-message>fork</command-message>\n            <command-args>{}</command-args>"
MODES = ("lexical", "semantic", "hybrid")


class Told(NamedTuple):
    """One invented session."""

    session_id: str
    prompt: str
    answer: str
    error: str | None = None
    command: str | None = None
    """What the failed call ran."""
    is_command: bool = False


class Question(NamedTuple):
    """What is asked, and the sessions that answer it; none where nothing does."""

    kind: str
    text: str
    wanted: frozenset[str]


class Score(NamedTuple):
    """How a mode did on a kind of question."""

    questions: int
    first: float
    """recall@1."""
    five: float
    """recall@5."""
    mrr: float


def session_id(number: int) -> str:
    """Return a recognisable id."""
    return str(uuid.UUID(int=0xABCD0000000040008000000000000000 + number))


def sessions() -> tuple[list[Told], list[Question]]:
    """Return all sessions and all questions."""
    told: list[Told] = []
    asked: list[Question] = []

    def add(prompt: str, answer: str, **more: Any) -> str:
        told.append(Told(session_id(len(told)), prompt, answer, **more))
        return told[-1].session_id

    for number, problem in enumerate(PROBLEMS):
        own = frozenset({add(f"{problem.prompt}.", f"{problem.answer}. The change is in {problem.path}, in {problem.identifier}().",
                             error=problem.error, command=f"python -m pytest {problem.path}")})  # fmt: skip
        asked += [Question("paraphrase", problem.first, own), Question("paraphrase", problem.second, own), Question("mixed", problem.mixed, own),
                  Question("identifier", problem.identifier, own), Question("path", problem.path, own), Question("error", problem.error, own),
                  Question("keywords", problem.prompt, own)]  # fmt: skip
        asked += [Question("other language", question, own) for which, question in FOREIGN if which == number]
        for chore in range(5):
            text = CHORES[(number + chore) % len(CHORES)].format(w=WORDS[(number * 7 + chore) % len(WORDS)], p=f"src/part{number}/m{chore}.py",
                                                                 i=f"step_{number}_{chore}")  # fmt: skip
            add(f"{text}, please.", f"Done: {text[0].lower()}{text[1:]}. Nothing else changed.")
    for prompt, answer, part in OWN_LANGUAGE:
        asked.append(Question("substring of CJK" if not part.isascii() else "keywords", part, frozenset({add(prompt, answer)})))
    # Near duplicates: the same words, another number; only the one that is asked for counts.
    for number in range(12):
        port, host = 8000 + 37 * number, f"node-{number:02d}"
        said = f"The probe of {host} now asks port {port} with a timeout of {number + 2} s."
        own = frozenset({add(f"The health probe of {host} fails on port {port}.", said)})
        asked.append(Question("near duplicate", f"health probe {host} {port}", own))
    implementing = frozenset({
        add("Change the /fork command so that it copies the branch first", "The /fork command now stashes, branches and restores; its parser is in fork.py."),
        add("Extend /fork with an option for the target folder", "I added --into to the implementation of the /fork command and a test for its parser."),
        add("The fork command forgets uncommitted files, fix its code", "fork.py now carries the index and untracked files over before the branch is made."),
    })  # fmt: skip
    for number in range(20):
        add(COMMAND.format(f"the task {number}" if number % 2 else ""), "Forked.", is_command=True)
    asked += [Question("fork command", question, implementing) for question in (
        "modify the /fork command", "implement a change in /fork", "where did we extend the fork command's options", "edit the code behind /fork")]  # fmt: skip
    asked += [Question("negative", question, frozenset()) for question in NEGATIVES]
    asked += [Question("nonsense", question, frozenset()) for question in NONSENSE]
    return told, asked


def write(root: Path, told: Sequence[Told]) -> None:
    """Write each session in the format of one of the hosts, in turn."""
    for number, one in enumerate(told):
        host = "claude" if one.is_command else HOSTS[number % 4]
        at = START + timedelta(hours=3 * number)
        lines = list(WRITERS[host](one, at))
        path = {
            "claude": root / ".claude/projects/-home-dev-shop" / f"{one.session_id}.jsonl",
            "codex": root / f".codex/sessions/{at:%Y/%m/%d}/rollout-{at:%Y-%m-%dT%H-%M-%S}-{one.session_id}.jsonl",
            "gemini": root / ".gemini/tmp/shop/chats" / f"session-{at:%Y-%m-%dT%H-%M}-{one.session_id[:8]}{number}.jsonl",
            "copilot": root / ".copilot/session-state" / one.session_id / "events.jsonl",
        }[host]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    (root / ".gemini/tmp/shop/.project_root").write_text(CWD)


def _stamp(at: datetime, seconds: int) -> str:
    return (at + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _claude(told: Told, at: datetime) -> Iterator[dict[str, Any]]:
    own = told.session_id

    def record(number: int, kind: str, message: dict[str, Any]) -> dict[str, Any]:
        return {"parentUuid": None, "isSidechain": False, "type": kind, "message": message, "uuid": f"{own[:24]}{number:04d}{own[-8:]}", "cwd": CWD,
                "timestamp": _stamp(at, number), "sessionId": own, "version": "2.1.332", "gitBranch": "main", "userType": "external", "entrypoint": "cli"}

    def said(number: int, block: dict[str, Any]) -> dict[str, Any]:
        return record(number, "assistant", {"id": f"msg_{own}_{number}", "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                                            "content": [block], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}})  # fmt: skip

    yield record(1, "user", {"role": "user", "content": told.prompt})
    if told.error:
        yield said(2, {"type": "tool_use", "id": f"toolu_{own}", "name": "Bash", "input": {"command": told.command}})
        yield record(3, "user", {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": f"toolu_{own}", "is_error": True, "content": told.error}]})  # fmt: skip
    yield said(4, {"type": "text", "text": told.answer})


def _codex(told: Told, at: datetime) -> Iterator[dict[str, Any]]:
    def line(number: int, kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        return {"timestamp": _stamp(at, number), "type": kind, "payload": payload}

    yield line(0, "session_meta", {"id": told.session_id, "timestamp": _stamp(at, 0), "cwd": CWD, "originator": "codex_cli_rs",
                                   "cli_version": "0.125.0", "source": "cli"})  # fmt: skip
    yield line(1, "turn_context", {"cwd": CWD, "model": "gpt-5.5"})
    yield line(2, "event_msg", {"type": "user_message", "message": told.prompt})
    if told.error:
        call = f"call_{told.session_id}"
        yield line(3, "response_item", {"type": "function_call", "name": "shell", "call_id": call,
                                        "arguments": json.dumps({"command": ["bash", "-lc", told.command]})})  # fmt: skip
        output = json.dumps({"output": told.error, "metadata": {"exit_code": 1, "duration_seconds": 0.1}})
        yield line(4, "response_item", {"type": "function_call_output", "call_id": call, "output": output})
    yield line(5, "event_msg", {"type": "agent_message", "message": told.answer})


def _gemini(told: Told, at: datetime) -> Iterator[dict[str, Any]]:
    yield {"sessionId": told.session_id, "projectHash": "0" * 64, "startTime": _stamp(at, 0), "lastUpdated": _stamp(at, 0), "kind": "main"}
    yield {"id": f"{told.session_id}-1", "timestamp": _stamp(at, 1), "type": "user", "content": [{"text": told.prompt}]}
    message = {"id": f"{told.session_id}-2", "timestamp": _stamp(at, 2), "type": "gemini", "content": "", "thoughts": [], "model": "gemini-3-pro"}
    if told.error:
        yield {**message, "toolCalls": [{"id": f"call-{told.session_id}", "name": "run_shell_command", "status": "error", "args": {"command": told.command},
                                         "result": [{"functionResponse": {"id": "c", "name": "run_shell_command", "response": {"error": told.error}}}]}]}
    yield {**message, "id": f"{told.session_id}-3", "timestamp": _stamp(at, 3), "content": told.answer}


def _copilot(told: Told, at: datetime) -> Iterator[dict[str, Any]]:
    def line(number: int, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        return {"type": kind, "data": data, "id": f"{told.session_id}-{number}", "timestamp": _stamp(at, number), "parentId": None}

    call = f"call_{told.session_id}"
    yield line(0, "session.start", {"sessionId": told.session_id, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102",
                                    "startTime": _stamp(at, 0), "context": {"cwd": CWD, "gitRoot": CWD, "branch": "main"}})  # fmt: skip
    yield line(1, "user.message", {"content": told.prompt, "interactionId": told.session_id})
    if told.error:
        yield line(2, "tool.execution_start", {"toolCallId": call, "toolName": "bash", "arguments": {"command": told.command}})
        yield line(3, "tool.execution_complete", {"toolCallId": call, "success": False, "error": {"message": told.error, "code": "failure"}})
    yield line(4, "assistant.message", {"messageId": f"m{told.session_id}", "model": "claude-sonnet-5", "content": told.answer, "toolRequests": []})


WRITERS = {"claude": _claude, "codex": _codex, "gemini": _gemini, "copilot": _copilot}


def prepared(folder: Path, told: Sequence[Told]) -> Any:
    """Write, ingest and index the sessions below *folder* and return the settings."""
    from cli.index import building, embedding
    from cli.main import main
    from journal.home import Home
    from journal.settings import load

    write(folder, told)
    os.environ |= {"HOME": str(folder), "JOURNAL_HOME": str(folder / "home")}
    with redirect_stdout(sys.stderr):
        main(["ingest", *(word for host in HOSTS for word in ("--root", f"{host}={folder / f'.{host}'}"))])
    settings = load(os.environ)
    model = embedding.open_embedder(settings)
    building.update(Home(settings.home), lambda: model)
    return settings


def ranked(settings: Any, questions: Sequence[Question], mode: str) -> list[list[str]]:
    """Return the sessions found for each question, as `journal search` orders them."""
    from cli.index import searching, semantic
    from cli.searching import by_words
    from projections.search_filters import NO_FILTERS

    opened, why = semantic.open_search(settings)
    assert opened is not None, why
    found = []
    with closing(sqlite3.connect(f"file:{settings.home}/views.db?mode=ro", uri=True)) as views:
        for question in questions:
            hits = (by_words(views, question.text, NO_FILTERS, 50) if mode == "lexical" else
                    searching.ranked(views, opened, question.text, NO_FILTERS, mode=mode, limit=50)[0])  # fmt: skip
            found.append(list(dict.fromkeys(hit["session_id"] for hit in hits)))
    return found


def score(questions: Sequence[Question], found: Sequence[Sequence[str]]) -> dict[str, Score]:
    """Return the score of each kind; for negatives the share of questions with no answer stands under recall@1."""
    kinds: dict[str, list[tuple[float, float, float]]] = {}
    for question, sessions_found in zip(questions, found, strict=True):
        if not question.wanted:
            silent = float(not sessions_found)
            kinds.setdefault(question.kind, []).append((silent, silent, silent))
            continue
        rank = next((place for place, one in enumerate(sessions_found, 1) if one in question.wanted), None)
        kinds.setdefault(question.kind, []).append((float(rank == 1), float(rank is not None and rank <= 5), 1 / rank if rank else 0.0))
    return {kind: Score(len(rows), *(round(sum(column) / len(rows), 3) for column in zip(*rows, strict=True))) for kind, rows in kinds.items()}


def table(scores: dict[str, dict[str, Score]]) -> Iterable[str]:
    """Yield the lines of a table: kind by mode."""
    yield "| kind | questions | " + " | ".join(f"{mode} @1 / @5 / MRR" for mode in MODES) + " |"
    yield "| --- | --- |" + " --- |" * len(MODES)
    for kind in scores["hybrid"]:
        cells = " | ".join(f"{s.first:.2f} / {s.five:.2f} / {s.mrr:.2f}" for s in (scores[mode][kind] for mode in MODES))
        yield f"| {kind} | {scores['hybrid'][kind].questions} | {cells} |"


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--misses", action="store_true", help="name the questions that the hybrid mode does not answer first")
    asked = arguments.parse_args()
    told, questions = sessions()
    with tempfile.TemporaryDirectory() as folder:
        settings = prepared(Path(folder), told)
        found = {mode: ranked(settings, questions, mode) for mode in MODES}
    print(f"{len(told)} sessions, {len(questions)} questions\n")
    print("\n".join(table({mode: score(questions, found[mode]) for mode in MODES})))
    if asked.misses:
        by_id = {one.session_id: one.prompt for one in told}
        for question, sessions_found in zip(questions, found["hybrid"], strict=True):
            if question.wanted and (not sessions_found or sessions_found[0] not in question.wanted):
                print(f"{question.kind}: {question.text!r} gave {[by_id[one][:50] for one in sessions_found[:2]]}")


if __name__ == "__main__":
    main()
