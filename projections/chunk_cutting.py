"""How a text is cut into chunks that an embedding model can take whole, and what a chunk says about commands: pure functions of text."""

import re
from typing import NamedTuple

MOST_TOKENS = 230
"""Estimated tokens of a chunk at most; MiniLM, the smallest of the models, reads 254, and the estimate may be short by a tenth."""
OVERLAP_TOKENS = 30
"""What a chunk repeats of the one before it, so that a sentence on the border stands whole in one of them."""
COMMAND_CHUNK_MAX_LENGTH = 300
SUBSTANCE_MIN_PARAGRAPH = 100
_WORD = re.compile(r"[A-Za-z]+(?![0-9])|[A-Za-z0-9]+|[^\S\n]+|\n+|.", re.DOTALL)
_COMMAND = re.compile(r"<command-name>\s*(.*?)\s*</command-name>", re.DOTALL)
_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_TAGGED = re.compile(r"<(command-message|command-contents|command-name|command-args)>.*?</\1>", re.DOTALL)
_BREAKS = ("\n\n", "\n", ". ", " ")


class Piece(NamedTuple):
    """One stretch of a text."""

    start: int
    end: int


def tokens_of(word: str) -> int:
    """Return how many tokens a WordPiece model makes of a run of one kind of characters, rather too many than too few."""
    if word.isspace():
        return 0
    if word.isascii() and word.isalpha():
        return 1 if len(word) <= 4 else 1 + (len(word) - 1) // 4
    if word.isdigit() and word.isascii():
        return (len(word) + 1) // 2
    if word.isascii():
        return len(word)  # a sign, or letters and digits mixed, which no vocabulary holds
    return 3 if "\uac00" <= word <= "\ud7a3" else 2


def cut(text: str, most: int = MOST_TOKENS, overlap: int = OVERLAP_TOKENS) -> list[Piece]:
    """Return the stretches of *text* that fit a model, in order, with what each repeats of the last; blank ends are left out.

    A stretch ends at a paragraph, line, sentence or word where one ends in its second half.
    """
    pieces: list[Piece] = []
    start, length = 0, len(text)
    while start < length:
        end, back = _reach(text, start, most, overlap)
        if end < length:
            better = _better_end(text, start, end)
            if better < end:
                end, back = better, min(back, better)
                back = _overlap_start(text, start, end, overlap)
        piece = _stripped(text, start, end)
        if piece.start < piece.end:
            pieces.append(piece)
        if end >= length:
            break
        start = max(back, start + 1)
    return pieces


def _reach(text: str, start: int, most: int, overlap: int) -> tuple[int, int]:
    """Return the furthest end of a stretch from *start*, and where the next one begins."""
    if len(text) - start <= most // 2:
        return len(text), len(text)
    count = 0
    for match in _WORD.finditer(text, start):
        word = match.group()
        taken = tokens_of(word)
        if count + taken > most:
            # A word longer than a chunk is cut inside.
            end = match.start() if match.start() > start else min(len(text), start + most)
            return end, _overlap_start(text, start, end, overlap)
        count += taken
    return len(text), len(text)


def _better_end(text: str, start: int, end: int) -> int:
    half = start + (end - start) // 2
    for sign in _BREAKS:
        found = text.rfind(sign, half, end)
        if found > half:
            return found + len(sign)
    return end


def _overlap_start(text: str, start: int, end: int, overlap: int) -> int:
    """Return where *overlap* tokens before *end* begin, at a word."""
    words = list(_WORD.finditer(text, max(start, end - overlap * 6), end))
    count, at = 0, end
    for match in reversed(words[1:]):
        count += tokens_of(match.group())
        if count > overlap:
            break
        at = match.start()
    return at if at > start else end


def _stripped(text: str, start: int, end: int) -> Piece:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Piece(start, end)


def is_command(text: str) -> bool:
    """Tell whether a text holds the call of a slash command."""
    return "<command-name>" in text


def has_substance(text: str) -> bool:
    """Tell whether a text says something beside a command: a code fence, a thinking block, or a long paragraph outside the arguments."""
    if "```" in text or "<details>" in text:
        return True
    rest = _ARGS.sub("", text)
    return any(len(paragraph.strip()) > SUBSTANCE_MIN_PARAGRAPH for paragraph in re.split(r"\n\s*\n", _TAGGED.sub("", rest)))


def is_bare_command(text: str) -> bool:
    """Tell whether a text only ran a command: short, with the command's mark, and without substance."""
    return len(text) < COMMAND_CHUNK_MAX_LENGTH and is_command(text) and not has_substance(text)


def readable(text: str) -> str:
    """Return a text as a model should read it: the marks of a command become the line that the user typed."""
    name = _COMMAND.search(text)
    if name is None:
        return text
    args = _ARGS.search(text)
    typed = f"{name.group(1)} {args.group(1).strip() if args else ''}".strip()
    rest = _TAGGED.sub("", text).strip()
    return f"{typed}\n{rest}" if rest else typed
