"""The one exit: what the journal prints, writes or hands on goes through here and leaves without secrets.

Two nets, one behind the other. The fast rules (journal/redaction.py) have been over everything that a view holds, and run
again here, since texts also come from the log and from file names. Behind them stands the full detector (cli/detector.py),
which costs a fifth of a second to import: signs that every secret it knows has decide first whether it is needed at all.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

from journal.redaction import RULES, redact

SHORTEST = 8
"""No rule takes anything shorter for a secret."""
SHAPES: tuple[tuple[str, "re.Pattern[str]"], ...] = tuple((sign, re.compile(shape)) for sign, shape in (
    ("a3t", r"A3T[A-Z0-9]{17}"), ("abia", r"ABIA[0-9A-Z]{16}"), ("acca", r"ACCA[0-9A-Z]{16}"), ("akc", r"AKC[a-zA-Z0-9]{10}"),
    ("accountkey=", r"AccountKey=[a-zA-Z0-9+/=]{20}"), ("_authtoken", r"_authToken=\s*[\w-]{20}"), ("t3blbkfj", "T3BlbkFJ"),
    ("gldt-", r"gldt-[\w-]{20}"), ("glft-", r"glft-[\w-]{20}"), ("glsoat-", r"glsoat-[\w-]{20}"), ("glrt-", r"glrt-[\w-]{20}"),
    ("gr1348941", r"GR1348941[\w-]{20}"), ("glcbt-", r"glcbt-[\w-]{20}"), ("glimt-", r"glimt-[\w-]{25}"), ("glptt-", r"glptt-[\w-]{40}"),
    ("glagent-", r"glagent-[\w-]{50}"), ("gloas-", r"gloas-[\w-]{64}"), ("-us", r"-us[0-9]"), ("pypi-age", "pypi-AgE"),
    ("sg.", r"SG\.[\w-]{22}\.[\w-]{43}"), ("hooks.slack.com/services/", r"hooks\.slack\.com/services/T"), ("sq0csp-", "sq0csp-"),
    ("k_live_", r"k_live_[0-9a-zA-Z]{24}"), ("putty-user-key-file", "PuTTY-User-Key-File-2"), (".cloudant.com", r"\.cloudant\.com"),
    ("api.softlayer.com/soap/", r"api\.softlayer\.com/soap/v3"), ("aws", r"(?i)aws.{0,20}(?:key|pwd|pw|pass|token).{0,20}?[\\'\"][0-9a-z/+]{40}[\\'\"]"),
    (".", r"\.[\w-]{6}\.[\w-]{27}"), (":", r":[\w-]{35}"), ("ac", r"AC[a-z0-9]{32}"), ("sk", r"SK[a-z0-9]{32}"),
    ("==", r"==\s{0,8}\w{0,40}(?:pass|secret|key|pwd)"), ("!=", r"!=\s{0,8}\w{0,40}(?:pass|secret|key|pwd)"),
))  # fmt: skip
"""A lower-case substring, and what stands around it in a secret; each begins with plain letters, which `re` finds fast."""
ASSIGNED: tuple[tuple[str, "re.Pattern[str]"], ...] = tuple(
    (word, re.compile(
        word + r"\w{0,40}[\\\"'\]]{0,8}\s{0,8}(?:[:=!]{1,3}>?|\(|\.assign\(|\s)\s{0,8}"
        r"(?:@?\\{0,4}[\"'`](?!\[redacted)[^\s\"'`\\]{6}|[a-z0-9_+/=-]{24})"
    ))
    for word in ("key", "pwd", "pass", "secret", "token", "credential", "contrase")
)  # fmt: skip
"""A word for a secret with a value assigned, quoted or long; looked for in lower case."""

APART = "\n\0\n"
"""Between texts that are looked at together: no rule reads across it, or an id under the name `key` would be a suspect."""

T = TypeVar("T")


class Found(NamedTuple):
    """A secret in a text."""

    kind: str
    start: int
    end: int


def suspects(text: str) -> Iterator[int]:
    """Yield where the full detector has to look; nowhere means that it finds nothing in *text*."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters grow; places must stay those of the text
        lowered = "".join(letter.lower() if letter.isascii() else letter for letter in text)
    for sign, shape in SHAPES:
        if sign in lowered:
            yield from (found.start() for found in shape.finditer(text))
    for word, shape in ASSIGNED:
        if word in lowered:
            yield from (found.start() for found in shape.finditer(lowered))


def clean(text: str) -> str:
    """Return *text* with every secret that the rules or the detector know replaced by its kind."""
    if len(text) < SHORTEST:
        return text
    text = redact(text)
    places = sorted(set(suspects(text)))
    if not places:
        return text
    from cli.detector import find

    pieces, end = [], 0
    for found in find(text, places):
        pieces += [text[end : found.start], f"[redacted:{found.kind}]"]
        end = found.end
    return "".join([*pieces, text[end:]]) if pieces else text


def found(text: str) -> list[Found]:
    """Return the secrets in *text*, in order, none overlapping another."""
    lowered = text.lower()
    rules = [rule for rule in RULES if any(sign in lowered for sign in rule.signs)]
    every = [Found(rule.kind, *match.span()) for rule in rules for match in rule.pattern.finditer(text)]
    places = sorted(set(suspects(text)))
    if places:
        from cli.detector import find

        every += find(text, places)
    chosen: list[Found] = []
    for one in sorted(every, key=lambda f: (f.start, -f.end)):
        if not chosen or one.start >= chosen[-1].end:
            chosen.append(one)
    return chosen


def cleaned(value: T) -> T:
    """Return *value* with every text in it cleaned: strings, and what stands in lists, tuples and dictionaries, keys too."""
    whole = APART.join(_texts(value))
    return value if clean(whole) == whole else _replaced(value)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _replaced(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_replaced(key): _replaced(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        items = [_replaced(item) for item in value]
        return items if isinstance(value, list) else value._make(items) if hasattr(value, "_make") else tuple(items)
    return value
