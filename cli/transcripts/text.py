"""A transcript on a terminal: prompts, answers, tools with results folded, edits as diffs."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from cli.amounts import counted
from cli.transcripts.words import change, clock, facts, one_line, outcome, plain, title, told_by, used
from projections.transcript import Called, Closed, Compacted, Copied, Edited, Faulty, Item, Noted, Opened, Said, Skipped

BOLD, DIM, RED, GREEN, BLUE, YELLOW, END = "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[33m", "\x1b[0m"


class Folds(NamedTuple):
    """How many lines of each kind of text are shown; None shows all, 0 nothing."""

    prompt: int | None = None
    answer: int | None = None
    reasoning: int | None = None
    aside: int | None = None
    result: int | None = None
    diff: int | None = None


DEPTHS = {
    "brief": Folds(prompt=3, answer=3, reasoning=0, aside=0, result=0, diff=0),
    "normal": Folds(reasoning=4, aside=1, result=6, diff=40),
    "full": Folds(),
}
LEFT_OUT = "\n[… "
"""How the views' excerpt of an output says that its middle is left out."""
ASIDES = ("injected", "notice", "summary")


class Terminal:
    """Turns items into lines of text."""

    def __init__(self, depth: str, *, colours: bool, width: int) -> None:
        self.depth = depth
        self.folds = DEPTHS[depth]
        self.colours = colours
        self.width = width
        self.unseen: Counter[str] = Counter()
        self.failed = 0

    def lines(self, items: Iterable[Item]) -> Iterator[str]:
        """Yield the transcript, a few lines at a time, each ended by a newline."""
        for item in items:
            if self.depth == "brief" and isinstance(item, Called):
                self.unseen[item.name or "?"] += 1
                self.failed += item.is_error
                continue
            told = [*self._counted(item), *SHOWN[type(item)](self, item)]
            indent = "    " * item.level
            yield from (f"{indent}{line}".rstrip() + "\n" for line in told)

    def paint(self, colour: str, text: str) -> str:
        """Return *text* in a colour, where there are colours."""
        return f"{colour}{text}{END}" if self.colours and text else text

    def _counted(self, item: Item) -> list[str]:
        """Return one line for the calls that a brief reading passes over."""
        if not self.unseen or (isinstance(item, Said) and not self._limit(item.kind)):
            return []
        names = ", ".join(f"{name} {count}" if count > 1 else name for name, count in self.unseen.most_common())
        failed = f"; {self.failed} failed" if self.failed else ""
        line = self.paint(DIM, f"● {counted(self.unseen.total(), 'tool call')}: {one_line(names, 300)}{failed}")
        self.unseen.clear()
        self.failed = 0
        return ["", line]

    def _limit(self, kind: str) -> int | None:
        if kind in ASIDES:
            return self.folds.aside
        return self.folds.prompt if kind == "prompt" else self.folds.reasoning if kind == "reasoning" else self.folds.answer

    def _folded(self, text: str, limit: int | None, before: str = "", colour: str = "") -> list[str]:
        """Return the lines of *text*, cut behind *limit* of them, and say what is cut."""
        lines = plain(text).expandtabs(4).split("\n")
        while lines and not lines[-1].strip():
            lines.pop()
        shown = lines if limit is None or len(lines) <= limit + 1 else lines[:limit]
        if limit is not None:  # one line of a megabyte is many lines on a terminal
            shown = [line if len(line) <= 8 * self.width else f"{line[: 8 * self.width]}… {len(line) - 8 * self.width} more characters" for line in shown]
        told = [before + self.paint(colour, line) if colour else before + line for line in shown]
        if len(shown) < len(lines):
            told.append(before + self.paint(DIM, f"… {len(lines) - len(shown)} of {len(lines)} lines more"))
        return told

    def _at(self, position: int) -> str:
        return self.paint(DIM, f"[{position}]")

    def opened(self, item: Opened) -> list[str]:
        """Show the head of a session or sub-agent."""
        name = "sub-agent " if item.level else ""
        told = [self.paint(BOLD, f"{name}{item.session['session_id']}"), self.paint(BOLD, title(item)), self.paint(DIM, " · ".join(facts(item)))]
        return told if item.level == 0 else ["", *told]

    def said(self, item: Said) -> list[str]:
        """Show one text."""
        limit = self._limit(item.kind)
        if limit == 0:
            return []
        marks = "".join(f" ({word})" for word, is_so in (("copied", item.is_copy), ("rewound", item.is_dropped)) if is_so)
        if item.kind == "prompt":
            head = f"── turn {item.turn} " if item.turn else "── prompt "
            rule = f"{head}{marks}── {clock(item.occurred_at)} "
            return ["", self.paint(BLUE, rule + "─" * max(2, self.width - len(rule) - 12 - 4 * item.level)) + " " + self._at(item.position),
                    *self._folded(item.text, limit, "> ")]  # fmt: skip
        if item.kind == "answer":
            return ["", *([self.paint(DIM, marks.strip())] if marks else []), *self._folded(item.text, limit)]
        return ["", self.paint(DIM, f"{item.kind}{marks}:"), *self._folded(item.text, limit, "  ", DIM)]

    def called(self, item: Called) -> list[str]:
        """Show a tool call, its result folded and its edits as diffs."""
        ended = outcome(item)
        bad = item.is_error or item.output_chars is None
        head = f"{self.paint(RED if bad else GREEN, '●')} {self.paint(BOLD, one_line(item.name or '(call not seen)', 60))} {told_by(item)}"
        told = ["", head + (self.paint(RED if bad else DIM, f"  ({ended})") if ended else "") + " " + self._at(item.position)]
        if self.depth == "full" and item.input_text:
            told += self._folded(item.input_text, None, "  ▸ ")
        for edit in item.edits:
            told += self.edited(edit)
        if item.output and not (item.edits and not item.is_error and self.depth == "normal"):
            shown, _, _ = item.output.partition(LEFT_OUT)
            told += self._folded(shown, self.folds.result, "  │ ", RED if bad else "")
            if shown != item.output and item.output_chars and item.output_chars > len(item.output):
                told.append("  │ " + self.paint(DIM, f"… {item.output_chars:,} characters in all (--depth full shows them)"))
        return told

    def edited(self, item: Edited) -> list[str]:
        """Show a file change with its lines."""
        told = ["  " + self.paint(YELLOW, change(item))]
        if item.diff and self.folds.diff != 0:
            for line in self._folded(item.diff, self.folds.diff):
                colour = GREEN if line.startswith("+") else RED if line.startswith("-") else DIM if line.startswith("@@") else ""
                told.append("    " + (self.paint(colour, line) if colour else line))
        return told

    def compacted(self, item: Compacted) -> list[str]:
        """Show a compaction."""
        sizes = f": {item.pre_tokens:,} tokens" if item.pre_tokens is not None else ""
        sizes += f" → {item.post_tokens:,}" if item.pre_tokens is not None and item.post_tokens is not None else ""
        return ["", self.paint(YELLOW, f"══ context compacted ({one_line(item.trigger or 'trigger unknown', 40)}){sizes} ══ {clock(item.occurred_at)}")]

    def faulty(self, item: Faulty) -> list[str]:
        """Show a record that did not read."""
        return [self.paint(YELLOW, f"! {item.fault} record: {one_line(item.what)} ") + self._at(item.position)]

    def noted(self, item: Noted) -> list[str]:
        """Show a note."""
        return ["", self.paint(YELLOW, f"note {clock(item.occurred_at)}:"), *self._folded(item.text, None, "  ")]

    def copied(self, item: Copied) -> list[str]:
        """Say that copies were left out."""
        return ["", self.paint(DIM, f"… {counted(item.records, 'record')} copied from the session before not shown (--depth full shows them)")]

    def skipped(self, item: Skipped) -> list[str]:
        """Say that items were left out."""
        return ["", self.paint(DIM, f"… {counted(item.records, 'item')} {item.where}, not shown (without --around all are)")]

    def closed(self, item: Closed) -> list[str]:
        """Show what a session used."""
        told = used(item.models) or ["no usage recorded"]
        return ["", *(self.paint(DIM, f"{'end of sub-agent · ' if item.level else ''}{one_line(line, 300)}") for line in told)]


SHOWN: dict[type, Any] = {
    Opened: Terminal.opened, Said: Terminal.said, Called: Terminal.called, Compacted: Terminal.compacted, Faulty: Terminal.faulty,
    Noted: Terminal.noted, Copied: Terminal.copied, Skipped: Terminal.skipped, Closed: Terminal.closed,
    Edited: lambda terminal, item: ["", *terminal.edited(item)],
}  # fmt: skip
