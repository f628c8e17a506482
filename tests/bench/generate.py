"""Write a deterministic tree of transcripts of the four hosts, of about the size asked for.

Shapes follow the recordings in `tests/fixtures/`: line kinds, their share and their sizes are those of coding sessions
(large tool results, short answers, many state lines). The content is invented from a fixed vocabulary.

Usage: python tests/bench/generate.py FOLDER MEGABYTES [--seed N]
"""

import argparse
import json
import random
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

WORDS = [
    "parser", "token", "buffer", "offset", "cache", "index", "session", "config", "handler", "retry", "timeout",
    "socket", "queue", "worker", "branch", "commit", "merge", "test", "fixture", "schema", "column", "migration",
    "query", "cursor", "snapshot", "checksum", "stream", "decoder", "encoder", "registry", "policy", "threshold",
    "window", "summary", "error", "traceback", "module", "import", "function", "class", "method", "value",
    "return", "raise", "assert", "path", "file",
]
SHARES = {"claude": 0.5, "codex": 0.3, "gemini": 0.08, "copilot": 0.12}
SESSION_BYTES = 700_000
START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)


class Clock:
    """A clock of the generated world: every reading is a little later than the one before."""

    def __init__(self, rng: random.Random, day: int) -> None:
        self.rng = rng
        self.now = START + timedelta(days=day % 90, minutes=rng.randrange(600))

    def tick(self) -> str:
        """Return the next time, as the hosts write it."""
        self.now += timedelta(milliseconds=self.rng.randrange(50, 9000))
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"


def new_id(rng: random.Random) -> str:
    """Return a uuid from the seeded generator."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def prose(rng: random.Random, words: int) -> str:
    """Return an invented sentence of *words* words."""
    return " ".join(rng.choices(WORDS, k=words))


def code(rng: random.Random, lines: int) -> str:
    """Return invented source text, as tool results hold it."""
    return "\n".join(
        f"{' ' * (4 * rng.randrange(3))}{rng.choice(WORDS)}_{rng.randrange(999)} = {rng.choice(WORDS)}({prose(rng, 3)!r})"
        for _ in range(lines)
    )


def dump(record: dict[str, Any]) -> bytes:
    """Return *record* as one line, compact as the hosts write it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def claude_session(rng: random.Random, clock: Clock, session: str, cwd: str) -> Iterator[bytes]:
    """Yield the lines of one Claude Code session, for ever."""
    parent: str | None = None

    def envelope(kind: str, **fields: Any) -> dict[str, Any]:
        nonlocal parent
        own = new_id(rng)
        record = {
            "parentUuid": parent, "isSidechain": False, "type": kind, **fields, "uuid": own, "timestamp": clock.tick(),
            "userType": "external", "entrypoint": "cli", "cwd": cwd, "sessionId": session, "version": "2.1.332",
            "gitBranch": "main",
        }
        parent = own
        return record

    while True:
        yield dump({"type": "mode", "mode": "normal", "sessionId": session})
        prompt = prose(rng, rng.randrange(8, 60))
        yield dump(envelope("user", promptId=new_id(rng), message={"role": "user", "content": prompt},
                            origin={"kind": "human"}, rowSource="local", permissionMode="default"))
        for _ in range(rng.randrange(2, 9)):
            response, call = f"msg_{new_id(rng)[:18]}", f"toolu_{new_id(rng)[:18]}"
            usage = {"input_tokens": rng.randrange(4, 40), "cache_creation_input_tokens": rng.randrange(2000),
                     "cache_read_input_tokens": rng.randrange(10_000, 150_000), "output_tokens": rng.randrange(20, 900)}
            for block in ({"type": "text", "text": prose(rng, rng.randrange(10, 80))},
                          {"type": "tool_use", "id": call, "name": "Read" if rng.random() < 0.5 else "Bash",
                           "input": {"file_path": f"{cwd}/{rng.choice(WORDS)}.py"} if rng.random() < 0.5 else
                           {"command": f"rg {rng.choice(WORDS)} src", "description": prose(rng, 4)}}):
                yield dump(envelope("assistant", requestId=f"req_{response}", message={
                    "id": response, "type": "message", "role": "assistant", "model": "claude-opus-5-5",
                    "content": [block], "stop_reason": "tool_use", "usage": usage}))
            text = code(rng, rng.randrange(5, 160))
            yield dump(envelope("user", message={"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call, "content": text}]},
                toolUseResult={"stdout": text, "stderr": "", "interrupted": False}))
        yield dump({"type": "last-prompt", "lastPrompt": prompt[:120], "leafUuid": parent, "sessionId": session})


def codex_session(rng: random.Random, clock: Clock, session: str, cwd: str) -> Iterator[bytes]:
    """Yield the lines of one Codex thread, for ever."""
    ordinal = 0
    totals = [0, 0, 0]

    def line(kind: str, payload: dict[str, Any]) -> bytes:
        nonlocal ordinal
        record = {"timestamp": clock.tick(), "ordinal": ordinal, "type": kind, "payload": payload}
        ordinal += 1
        return dump(record)

    yield line("session_meta", {"id": session, "session_id": session, "timestamp": clock.tick(), "cwd": cwd,
                                "originator": "codex-tui", "cli_version": "0.171.0", "source": "cli",
                                "base_instructions": {"text": prose(rng, 2000)}, "history_mode": "paginated",
                                "git": {"commit_hash": "0" * 40, "branch": "main"}})
    while True:
        turn = new_id(rng)
        yield line("event_msg", {"type": "task_started", "turn_id": turn, "model_context_window": 258400})
        yield line("turn_context", {"turn_id": turn, "cwd": cwd, "model": "gpt-5.5", "effort": "medium"})
        prompt = prose(rng, rng.randrange(8, 60))
        yield line("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]})
        yield line("event_msg", {"type": "item_completed", "thread_id": session, "turn_id": turn, "item": {
            "type": "UserMessage", "id": new_id(rng), "content": [{"type": "text", "text": prompt}]}})
        for _ in range(rng.randrange(2, 9)):
            call, output = f"call_{new_id(rng)[:20]}", code(rng, rng.randrange(5, 160))
            yield line("response_item", {"type": "function_call", "name": "exec_command", "call_id": call,
                                         "arguments": json.dumps({"cmd": f"rg {rng.choice(WORDS)}"})})
            yield line("event_msg", {"type": "item_completed", "thread_id": session, "turn_id": turn, "item": {
                "type": "CommandExecution", "id": call, "command": ["bash", "-lc", "rg x"], "cwd": f"file://{cwd}",
                "status": "completed", "aggregated_output": output, "exit_code": 0}})
            yield line("response_item", {"type": "function_call_output", "call_id": call, "output": output})
            usage = {"input_tokens": rng.randrange(10_000, 90_000), "cached_input_tokens": rng.randrange(9000),
                     "output_tokens": rng.randrange(40, 900), "reasoning_output_tokens": rng.randrange(40)}
            totals = [totals[0] + usage["input_tokens"], totals[1] + usage["cached_input_tokens"],
                      totals[2] + usage["output_tokens"]]
            yield line("token_usage_record", {"response_id": f"resp_{new_id(rng)}", "turn_id": turn,
                                              "thread_id": session, "session_id": session, "usage": usage})
            yield line("event_msg", {"type": "token_count", "info": {
                "total_token_usage": {"input_tokens": totals[0], "cached_input_tokens": totals[1],
                                      "output_tokens": totals[2], "total_tokens": totals[0] + totals[2]},
                "last_token_usage": usage, "model_context_window": 258400}})
        answer, item = prose(rng, rng.randrange(20, 120)), f"msg_{new_id(rng)[:20]}"
        yield line("event_msg", {"type": "item_completed", "thread_id": session, "turn_id": turn, "item": {
            "type": "AgentMessage", "id": item, "content": [{"type": "Text", "text": answer}]}})
        yield line("response_item", {"type": "message", "role": "assistant", "id": item,
                                     "content": [{"type": "output_text", "text": answer}]})
        yield line("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": answer})


def gemini_session(rng: random.Random, clock: Clock, session: str, cwd: str) -> Iterator[bytes]:
    """Yield the lines of one Gemini session, for ever."""
    start = clock.tick()
    yield dump({"sessionId": session, "projectHash": "0" * 64, "startTime": start, "lastUpdated": start, "kind": "main"})
    while True:
        yield dump({"id": new_id(rng), "timestamp": clock.tick(), "type": "user",
                    "content": [{"text": prose(rng, rng.randrange(8, 60))}]})
        yield dump({"$set": {"lastUpdated": clock.tick()}})
        for _ in range(rng.randrange(2, 6)):
            message = {"id": new_id(rng), "timestamp": clock.tick(), "type": "gemini", "content": prose(rng, 30),
                       "thoughts": [], "model": "gemini-3-pro", "tokens": {
                           "input": rng.randrange(5000, 90_000), "output": rng.randrange(20, 900), "cached": 0,
                           "thoughts": 10, "tool": 0, "total": 0}}
            yield dump(message)
            call, text = new_id(rng), code(rng, rng.randrange(5, 120))
            yield dump({**message, "toolCalls": [{"id": call, "name": "read_file", "status": "success",
                                                  "args": {"file_path": f"{cwd}/{rng.choice(WORDS)}.py"},
                                                  "result": [{"functionResponse": {"id": call, "name": "read_file",
                                                                                   "response": {"output": text}}}]}]})
            yield dump({"$set": {"lastUpdated": clock.tick()}})


def copilot_session(rng: random.Random, clock: Clock, session: str, cwd: str) -> Iterator[bytes]:
    """Yield the lines of one Copilot session, for ever."""
    parent: str | None = None

    def line(kind: str, data: dict[str, Any]) -> bytes:
        nonlocal parent
        own = new_id(rng)
        record = {"type": kind, "data": data, "id": own, "timestamp": clock.tick(), "parentId": parent}
        parent = own
        return dump(record)

    yield line("session.start", {"sessionId": session, "version": 1, "producer": "copilot-agent",
                                 "copilotVersion": "1.0.102", "startTime": clock.tick(),
                                 "context": {"cwd": cwd, "gitRoot": cwd, "branch": "main"}})
    while True:
        yield line("user.message", {"content": prose(rng, rng.randrange(8, 60)), "interactionId": new_id(rng)})
        for turn in range(rng.randrange(2, 8)):
            call, text = f"call_{new_id(rng)[:20]}", code(rng, rng.randrange(5, 160))
            yield line("assistant.turn_start", {"turnId": str(turn)})
            yield line("assistant.message", {"messageId": new_id(rng), "model": "claude-sonnet-5", "content": prose(rng, 40),
                                             "toolRequests": [{"toolCallId": call, "name": "bash", "type": "function",
                                                               "arguments": {"command": f"rg {rng.choice(WORDS)}"}}]})
            yield line("tool.execution_start", {"toolCallId": call, "toolName": "bash",
                                                "arguments": {"command": "rg x"}})
            yield line("tool.execution_complete", {"toolCallId": call, "success": True,
                                                   "result": {"content": text, "detailedContent": text}})
            yield line("session.usage_record", {"usage": {
                "model": "claude-sonnet-5", "inputTokens": rng.randrange(5000, 90_000), "outputTokens": 300,
                "cacheReadTokens": 1000, "cacheWriteTokens": 0, "reasoningTokens": 0, "apiCallId": new_id(rng)}})
            yield line("assistant.turn_end", {"turnId": str(turn)})


def path_of(host: str, root: Path, session: str, clock: Clock, cwd: str) -> Path:
    """Return where *host* would put the transcript of *session*."""
    if host == "claude":
        return root / ".claude/projects" / cwd.replace("/", "-") / f"{session}.jsonl"
    if host == "codex":
        stamp = clock.now.strftime("%Y-%m-%dT%H-%M-%S")
        return root / ".codex/sessions" / clock.now.strftime("%Y/%m/%d") / f"rollout-{stamp}-{session}.jsonl"
    if host == "gemini":
        stamp = clock.now.strftime("%Y-%m-%dT%H-%M")
        return root / ".gemini/tmp" / cwd.rsplit("/", 1)[1] / "chats" / f"session-{stamp}-{session[:8]}.jsonl"
    return root / ".copilot/session-state" / session / "events.jsonl"


WRITERS: dict[str, Callable[[random.Random, Clock, str, str], Iterator[bytes]]] = {
    "claude": claude_session,
    "codex": codex_session,
    "gemini": gemini_session,
    "copilot": copilot_session,
}


def generate(root: Path, megabytes: float, seed: int = 7) -> dict[str, int]:
    """Write the tree below *root* and return the bytes written for each host."""
    rng = random.Random(seed)
    written = dict.fromkeys(SHARES, 0)
    number = 0
    for host, share in SHARES.items():
        while written[host] < megabytes * 1_000_000 * share:
            number += 1
            clock, session, cwd = Clock(rng, number), new_id(rng), f"/home/dev/{rng.choice(WORDS)}"
            path = path_of(host, root, session, clock, cwd)
            path.parent.mkdir(parents=True, exist_ok=True)
            left = min(megabytes * 1_000_000 * share - written[host], rng.randrange(SESSION_BYTES // 7, 2 * SESSION_BYTES))
            size = 0
            with path.open("wb", buffering=1 << 20) as file:
                for line in WRITERS[host](rng, clock, session, cwd):
                    size += file.write(line)
                    if size >= left:
                        break
            written[host] += size
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="write a deterministic tree of transcripts of the four hosts")
    parser.add_argument("folder", type=Path)
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    print(json.dumps(generate(asked.folder, asked.megabytes, asked.seed)))
