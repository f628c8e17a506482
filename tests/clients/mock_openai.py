"""A stand-in for the OpenAI APIs: responses (Codex, Copilot) and chat completions (Copilot).

In a script, a tool whose args are a str is a free-form (custom) tool; a dot in a
tool's name puts it into a namespace (`collaboration.spawn_agent`).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

from mock_server import Json, MockServer, fill_schema, halves

COMPACTION_ASKS = ("Please create a detailed summary of the conversation so far",
                   "handoff summary", "CONTEXT CHECKPOINT")
Call = tuple[str, str, str, bool]   # id, name, arguments, free-form


def text_of(item: Json) -> str:
    content = item.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(c.get("text") or c.get("encrypted_content") or ""
                     for c in content or [] if isinstance(c, dict))


class MockOpenAI(MockServer):
    def answer(self, req: BaseHTTPRequestHandler, path: str, body: Json, size: int) -> None:
        chat = path.endswith("/chat/completions")
        if not chat and not path.endswith("/responses"):
            return self.reply(req, {"error": {"message": path, "type": "not_found"}}, 404)
        items: list[Json] = body.get("messages") or body.get("input") or []
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
        last = text_of(items[-1]) if items else ""
        tools = bool(body.get("tools")) or any(i.get("type") == "additional_tools" for i in items)
        schema = ((body.get("text") or {}).get("format") or {}).get("schema")   # a title is asked for
        main = tools and not schema and not any(ask in last for ask in COMPACTION_ASKS)
        texts = [text_of(i) for i in items if i.get("role") == "user" or i.get("type") == "agent_message"]
        step = self.take(path, body, main, texts)
        if schema:
            step = {"text": json.dumps(fill_schema(schema))}
        if "status" in step:
            return self.reply(req, {"error": {"message": "mock error", "type": "mock_error",
                                              "code": "mock"}}, step["status"])
        calls: list[Call] = []
        for name, args in step.get("calls", []):
            free = isinstance(args, str)
            calls.append((f"call_{self.number():04d}", name, args if free else json.dumps(args), free))
        used = self.usage(step, size)
        if chat:
            if not body.get("stream"):
                return self.reply(req, self.chat_whole(body, step, calls, used))
            return self.stream(req, self.chat_chunks(body, step, calls, used), step, named=False, done=True)
        events = list(self.response_events(body, step, calls, used))
        if not body.get("stream"):
            return self.reply(req, events[-1]["response"])
        return self.stream(req, events, step)

    # -- chat completions -----------------------------------------------------

    @staticmethod
    def chat_usage(used: tuple[int, int, int]) -> Json:
        total, cached, output = used
        return {"prompt_tokens": total, "completion_tokens": output, "total_tokens": total + output,
                "prompt_tokens_details": {"cached_tokens": cached},
                "completion_tokens_details": {"reasoning_tokens": 5}}

    @staticmethod
    def chat_call(call: Call) -> Json:
        call_id, name, args, free = call
        if free:
            return {"id": call_id, "type": "custom", "custom": {"name": name, "input": args}}
        return {"id": call_id, "type": "function", "function": {"name": name, "arguments": args}}

    def chat_whole(self, body: Json, step: Json, calls: list[Call], used: tuple[int, int, int]) -> Json:
        message: Json = {"role": "assistant", "content": step.get("text")}
        if calls:
            message["tool_calls"] = [self.chat_call(c) for c in calls]
        return {"id": "chatcmpl-mock", "object": "chat.completion", "created": int(time.time()),
                "model": body.get("model"), "usage": self.chat_usage(used),
                "choices": [{"index": 0, "message": message,
                             "finish_reason": "tool_calls" if calls else "stop"}]}

    def chat_chunks(self, body: Json, step: Json, calls: list[Call],
                    used: tuple[int, int, int]) -> Iterator[Json]:
        base = {"id": "chatcmpl-mock", "object": "chat.completion.chunk",
                "created": int(time.time()), "model": body.get("model")}

        def chunk(delta: Json, finish: str | None = None) -> Json:
            return {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        for n, part in enumerate(halves(step.get("text") or "")):
            yield {**chunk({"role": "assistant", "content": part}), "_stall": n == 0}
        for n, call in enumerate(calls):
            yield chunk({"role": "assistant", "tool_calls": [{"index": n, **self.chat_call(call)}]})
        yield chunk({}, "tool_calls" if calls else "stop")
        yield {**base, "choices": [], "usage": self.chat_usage(used)}

    # -- responses ------------------------------------------------------------

    def response_items(self, step: Json, calls: list[Call]) -> list[Json]:
        items: list[Json] = []
        if step.get("thought"):
            items.append({"type": "reasoning", "id": f"rs_{self.number():04d}", "encrypted_content": "bW9jaw==",
                          "summary": [{"type": "summary_text", "text": step["thought"]}]})
        if step.get("text"):
            items.append({"type": "message", "id": f"msg_{self.number():04d}", "role": "assistant",
                          "status": "completed", "content": [
                              {"type": "output_text", "text": step["text"], "annotations": []}]})
        for call_id, name, args, free in calls:
            if name == "tool_search":  # the client answers it from what its servers told it
                items.append({"type": "tool_search_call", "id": f"ts_{call_id}", "call_id": call_id, "status": "completed",
                              "execution": "client", "arguments": json.loads(args)})
                continue
            kind, field = ("custom_tool_call", "input") if free else ("function_call", "arguments")
            item: Json = {"type": kind, "id": f"fc_{call_id}", "call_id": call_id, "status": "completed"}
            space, dot, own = name.partition(".")
            if dot:
                item["namespace"] = space
            items.append({**item, "name": own if dot else name, field: args})
        return items

    def response_events(self, body: Json, step: Json, calls: list[Call],
                        used: tuple[int, int, int]) -> Iterator[Json]:
        total, cached, output = used
        base: Json = {"id": f"resp_{self.number():04d}", "object": "response", "created_at": int(time.time()),
                      "model": body.get("model"), "status": "in_progress", "output": []}
        items = self.response_items(step, calls)
        usage = {"input_tokens": total, "output_tokens": output, "total_tokens": total + output,
                 "input_tokens_details": {"cached_tokens": cached},
                 "output_tokens_details": {"reasoning_tokens": 5}}
        order = iter(range(10_000))

        def event(kind: str, **data: Any) -> Json:
            return {"type": "response." + kind, "sequence_number": next(order), **data}

        yield event("created", response=base)
        for n, item in enumerate(items):
            where = {"item_id": item["id"], "output_index": n}
            if item["type"] == "message":
                part = item["content"][0]
                yield event("output_item.added", output_index=n, item={**item, "content": []})
                yield event("content_part.added", **where, content_index=0, part={**part, "text": ""})
                for k, piece in enumerate(halves(part["text"])):
                    yield {**event("output_text.delta", **where, content_index=0, delta=piece), "_stall": k == 0}
                yield event("output_text.done", **where, content_index=0, text=part["text"])
                yield event("content_part.done", **where, content_index=0, part=part)
            elif item["type"] in ("reasoning", "tool_search_call"):
                yield event("output_item.added", output_index=n, item=item)
            else:
                field = "input" if item["type"] == "custom_tool_call" else "arguments"
                stem = "custom_tool_call_input" if field == "input" else "function_call_arguments"
                yield event("output_item.added", output_index=n, item={**item, field: ""})
                yield event(stem + ".delta", **where, delta=item[field])
                yield event(stem + ".done", **where, **{field: item[field]})
            yield event("output_item.done", output_index=n, item=item)
        yield event("completed", response={**base, "status": "completed", "output": items, "usage": usage})
