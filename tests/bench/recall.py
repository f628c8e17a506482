"""How often a prompt brings back the learning that it should, and how often one that it should not: by words alone, and with a model in `journal watch`.

Usage: python tests/bench/recall.py
The hook's thresholds (projections/likeness.py, cli/index/learned_vectors.py) are chosen from these tables: precision first, since a hook that is wrong costs
every prompt. The second set is one that they were not chosen by: the answers of the retrieval benchmark as learnings.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
from recall_cases import LEARNINGS, NEAR, NOTHING, OTHER_ERRORS
from retrieval_cases import CHORES, NEGATIVES, PROBLEMS, WORDS

from projections import likeness

Answers = Callable[[str], str | None]
"""Gives the learning that a prompt is told first, or None."""


class Cases(NamedTuple):
    """Learnings, and what should and should not bring one back."""

    learnings: Mapping[str, str]
    plain: Sequence[tuple[str, str]]
    """Learning and a prompt that shares words with it."""
    paraphrased: Sequence[tuple[str, str]]
    nothing: Sequence[str]


CASES = Cases({name: text for name, (text, _, _) in LEARNINGS.items()},
              [(name, prompt) for name, (_, prompts, _) in LEARNINGS.items() for prompt in prompts],
              [(name, prompt) for name, (_, _, prompts) in LEARNINGS.items() for prompt in prompts], (*NOTHING, *NEAR))  # fmt: skip
OTHERS = Cases({str(number): f"{problem.answer}. It is in {problem.path}." for number, problem in enumerate(PROBLEMS)},
               [(str(number), prompt) for number, problem in enumerate(PROBLEMS) for prompt in (problem.prompt, f"{problem.path} is broken")],
               [(str(number), prompt) for number, problem in enumerate(PROBLEMS) for prompt in (problem.first, problem.second, problem.mixed)],
               (*NEGATIVES, *NEAR, *(chore.format(w=word, p="src/part/m.py", i="step_1") for chore in CHORES for word in WORDS[:4])))  # fmt: skip


def _elsewhere(error: str) -> str:
    """Return an error as it comes up another time: from another place, with other numbers."""
    return "src/app/run.py:88: " + "".join(str((int(letter) + 1) % 10) if letter.isdigit() else letter for letter in error)


ERRORS = Cases({str(number): problem.error for number, problem in enumerate(PROBLEMS)},
               [(str(number), problem.error) for number, problem in enumerate(PROBLEMS)],
               [(str(number), _elsewhere(problem.error)) for number, problem in enumerate(PROBLEMS)], OTHER_ERRORS)  # fmt: skip
"""Past fixes by their errors; the same error again, the same one elsewhere, and others."""


class Score(NamedTuple):
    """What a threshold gives."""

    threshold: float
    recall: float
    """Share of prompts with shared words whose learning came first."""
    recall_paraphrased: float
    precision: float
    """Share of answers that were the right learning, over all prompts."""
    false_recall: float
    """Share of prompts that should bring back nothing and brought back something."""


def by_words(cases: Cases, threshold: float = likeness.THRESHOLD) -> Answers:
    """Return how a hook answers from the views alone."""
    told = {name: likeness.terms_of(text) for name, text in cases.learnings.items()}

    def answer(prompt: str) -> str | None:
        asked = likeness.terms_of(prompt)
        scored = [(likeness.likeness(asked, terms), name) for name, terms in told.items() if likeness.is_telling(asked, terms)]
        score, name = max(scored, default=(0.0, ""))
        return name if name and score >= threshold else None

    return answer


def with_meaning(cases: Cases) -> Answers:
    """Return how a hook answers that a watcher with the model loaded helps."""
    from cli.index import embedding, learned_vectors
    from journal.settings import load

    model = embedding.open_embedder(load(os.environ))
    names = list(cases.learnings)
    ready = learned_vectors.Ready({name: row for row, name in enumerate(names)}, model.documents(list(cases.learnings.values())))
    words = by_words(cases)

    def answer(prompt: str) -> str | None:
        first = words(prompt)
        if any(likeness.is_unspaced(letter) for letter in prompt):
            return first
        cosines = ready.matrix @ model.queries([prompt[: learned_vectors.PROMPT_CHARS]])[0]
        if first and not learned_vectors.unlike(ready, cosines, [first]):
            return first
        return next(iter(learned_vectors.near(ready, cosines, names)), None)

    return answer


def by_error(cases: Cases) -> Answers:
    """Return how a hook answers an error with a past fix."""
    from projections import fixed

    known = {name: likeness.terms_of(error) for name, error in cases.learnings.items()}

    def answer(error: str) -> str | None:
        asked = likeness.terms_of(error)
        score, name = max((fixed.likeness_of(asked, terms), name) for name, terms in known.items())
        return name if score else None

    return answer


def measure(cases: Cases, answer: Answers, threshold: float = likeness.THRESHOLD) -> Score:
    """Return how often the answers are right."""
    plain, other = ([told == name if (told := answer(prompt)) else None for name, prompt in prompts] for prompts in (cases.plain, cases.paraphrased))
    none = [False if answer(prompt) else None for prompt in cases.nothing]
    said = [right for right in [*plain, *other, *none] if right is not None]
    return Score(threshold, plain.count(True) / len(plain), other.count(True) / len(other), said.count(True) / max(1, len(said)),
                 none.count(False) / len(none))  # fmt: skip


def main() -> None:
    """Print the tables."""
    print("| threshold | recall, shared words | recall, paraphrase | precision | false recall |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for step in range(10, 55, 5):
        print("| " + " | ".join(f"{value:.2f}" for value in measure(CASES, by_words(CASES, step / 100), step / 100)) + " |")
    print("\n| cases | way | recall, shared words | recall, paraphrase | precision | false recall |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, cases in (("chosen by", CASES), ("others", OTHERS)):
        for way, answer in (("words", by_words(cases)), ("words and meaning", with_meaning(cases))):
            print(f"| {name} | {way} | " + " | ".join(f"{value:.3f}" for value in measure(cases, answer)[1:]) + " |")
    print("| errors | fixes | " + " | ".join(f"{value:.3f}" for value in measure(ERRORS, by_error(ERRORS))[1:]) + " |")


if __name__ == "__main__":
    main()
