"""What a session was about, read off its own texts without a model: summary, topics and category. Pure, and computed when asked for.

Words of a prompt, the files that changed and the last answer decide; what an agent or a person wrote by `journal annotate`
goes before it, with its date, and is stale once the session went on.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from journal.cutting import cut, on_one_line

CATEGORIES = ("feature", "bugfix", "refactor", "docs", "test", "research", "ops")
TOPICS = 6
SUMMARY_CHARS = 400
PROMPT_CHARS = 160
FILES_NAMED = 3
FIRST_WEIGHT, LATER_WEIGHT, VERB_WEIGHT, FILES_WEIGHT = 3.0, 1.0, 3.0, 5.0
MOSTLY = 0.6
"""A share of the changed files that says more than words."""

_WORDS: dict[str, frozenset[str]] = {
    "bugfix": frozenset(
        "fix fixes fixed bug bugs broken breaks crash crashes crashed error errors fails failing failure regression wrong traceback hang hangs leak leaks"
        " deadlock race incorrect debug flaky exception".split()),
    "refactor": frozenset(
        "refactor refactoring rename renames restructure reorganise reorganize simplify extract split deduplicate cleanup tidy decouple inline move".split()),
    "docs": frozenset("document documents documentation docs readme docstring docstrings changelog tutorial glossary manual".split()),
    "test": frozenset("test tests testing coverage pytest unittest fixture fixtures jest e2e".split()),
    "ops": frozenset(
        "deploy deployment release docker dockerfile container ci pipeline workflow kubernetes helm terraform nginx systemd install upgrade backup rollback"
        " provision cron server".split()),
    "research": frozenset(
        "why how what which explain investigate compare research understand evaluate analyse analyze explore review where benchmark measure does".split()),
    "feature": frozenset("add adds implement implements build create support introduce new feature allow enable extend provide integrate".split()),
}  # fmt: skip
STOP = frozenset(
    "about above after again against also although always another anything because been before being below between both cannot could does doing done down"
    " during each either else ensure even every everything file files first from further gets give going have having here into itself just keep know last"
    " like line lines look make makes many might more most must need needs never next nothing once only other others ours over please same session shall"
    " should show since some something still such sure take than thank thanks that their them then there these they thing things this those through under"
    " until upon used uses using very want wants well were what when where which while will with within without would write your yours code let run use"
    " added adds change changed changes currently current fine good okay project work works working".split())  # fmt: skip
_DOCS, _TESTS = re.compile(r"(^|/)docs?/|\.(md|rst|txt|adoc)$", re.IGNORECASE), re.compile(r"(^|/)tests?/|(^|/)test_|_test\.|\.(spec|test)\.", re.IGNORECASE)
_OPS = re.compile(r"(^|/)(\.github/workflows|deploy|helm|k8s|terraform|ansible|ops)/|dockerfile|docker-compose|jenkinsfile|\.(tf|service)$|\.gitlab-ci",
                  re.IGNORECASE)  # fmt: skip
_WORD = re.compile(r"[^\W_][\w.-]*[^\W_]|[^\W_]", re.UNICODE)
_NAME = re.compile(r"`([^`\n]{2,40})`|\b([A-Za-z]\w*(?:_\w+|[a-z][A-Z]\w*))\b")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s")


class Material(NamedTuple):
    """What the views hold of a session that tells what it was about."""

    title: str | None
    prompts: Sequence[str]
    """The first prompts, in order."""
    answer: str | None
    """The last one."""
    files: Sequence[tuple[str, int]]
    """Changed files with the number of changes, most changed first."""


class Annotation(NamedTuple):
    """What was said of a session, each field with its newest word."""

    title: str | None
    summary: str | None
    topics: tuple[str, ...] | None
    category: str | None
    at: str | None


class Entry(NamedTuple):
    """What is told of a session."""

    title: str | None
    summary: str
    topics: tuple[str, ...]
    category: str
    annotated_at: str | None
    is_stale: bool
    """Whether the session went on after it was annotated."""


def entry(material: Material, annotation: Annotation | None, last_at: str | None) -> Entry:
    """Return what a session is about: what was annotated, and what is derived where nothing was."""
    said = annotation or Annotation(None, None, None, None, None)
    return Entry(
        said.title or material.title, said.summary or summary_of(material), topics_of(material) if said.topics is None else said.topics,
        said.category or category_of(material), said.at, bool(said.at and last_at and last_at > said.at),
    )  # fmt: skip


def category_of(material: Material) -> str:
    """Return the category that words and files speak for; of two alike the earlier of CATEGORIES."""
    scores = dict.fromkeys(CATEGORIES, 0.0)
    for number, prompt in enumerate(material.prompts):
        words = [word.casefold() for word in _WORD.findall(prompt[:2000])]
        for category, signs in _WORDS.items():
            if not signs.isdisjoint(words):
                scores[category] += FIRST_WEIGHT if number == 0 else LATER_WEIGHT
        telling = next((word for word in words if any(word in signs for signs in _WORDS.values())), None) if number == 0 else None
        for category, signs in _WORDS.items():
            scores[category] += VERB_WEIGHT if telling in signs else 0.0  # what is asked for first is the work; the rest comes with it
    paths = [path for path, _ in material.files]
    for category, pattern in (("docs", _DOCS), ("test", _TESTS), ("ops", _OPS)):
        share = sum(bool(pattern.search(path)) for path in paths) / len(paths) if paths else 0.0
        scores[category] += FILES_WEIGHT * share if share > MOSTLY else 0.0
        scores[category] -= LATER_WEIGHT if paths and not share else 0.0
    if paths:
        scores["research"] -= FIRST_WEIGHT
        scores["feature"] += LATER_WEIGHT
    else:
        scores["research"] += LATER_WEIGHT
    return max(CATEGORIES, key=lambda category: scores[category])


def topics_of(material: Material) -> tuple[str, ...]:
    """Return what the session speaks of most: names and words of its prompts, and the files that it changed."""
    weights: Counter[str] = Counter()
    for number, prompt in enumerate(material.prompts):
        text = prompt[:2000]
        share = 2 if number == 0 else 1
        for quoted, name in _NAME.findall(text):
            weights[(quoted or name).strip().casefold()] += 2 * share
        for word in dict.fromkeys(found.casefold() for found in _WORD.findall(text)):
            if 4 <= len(word) <= 24 and word not in STOP and not word.isdigit() and not _UNSPACED.search(word):
                weights[word] += share
    for path, _ in material.files[:8]:
        stem = path.rpartition("/")[2].partition(".")[0].casefold()
        if len(stem) > 2:
            weights[stem] += 2
    order = sorted(weights, key=lambda word: -weights[word])
    return tuple(order[:TOPICS])


def summary_of(material: Material) -> str:
    """Return what was asked, what changed and how it ended, in at most 400 characters."""
    parts = []
    if material.prompts:
        parts.append(f"Asked: {on_one_line(material.prompts[0][: 4 * PROMPT_CHARS], PROMPT_CHARS)}")
    if material.files:
        named = ", ".join(path for path, _ in material.files[:FILES_NAMED])
        rest = len(material.files) - FILES_NAMED
        parts.append(f"Changed: {named}{f' and {rest} more' if rest > 0 else ''}")
    if material.answer:
        parts.append(f"Ended: {on_one_line(_SENTENCE_END.split(' '.join(material.answer.split()), maxsplit=1)[0], PROMPT_CHARS)}")
    return cut("\n".join(parts), SUMMARY_CHARS)
