"""How often a prompt brings back the learning that it should, and how often one that it should not.

Usage: python tests/bench/recall.py
The hook's threshold (projections/likeness.py) is chosen from this table: precision first, since a hook that is wrong costs every prompt.
"""

import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from recall_cases import LEARNINGS, NEAR, NOTHING

from projections import likeness


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


def best(prompt: str) -> tuple[str, float]:
    """Return the learning that fits a prompt best, as the hook looks for it, and how well."""
    asked = likeness.terms_of(prompt)
    scored = []
    for name, (text, _, _) in LEARNINGS.items():
        told = likeness.terms_of(text)
        if likeness.is_telling(asked, told):
            scored.append((likeness.likeness(asked, told), name))
    score, name = max(scored, default=(0.0, ""))
    return name, score


def measure(threshold: float) -> Score:
    """Return what *threshold* gives."""
    def answers(prompts: list[tuple[str, str]]) -> list[bool | None]:
        found = [(name, best(prompt)) for name, prompt in prompts]
        return [None if score < threshold else told == name for name, (told, score) in found]

    plain = answers([(name, prompt) for name, (_, prompts, _) in LEARNINGS.items() for prompt in prompts])
    other = answers([(name, prompt) for name, (_, _, prompts) in LEARNINGS.items() for prompt in prompts])
    none = answers([("none", prompt) for prompt in (*NOTHING, *NEAR)])
    said = [right for right in [*plain, *other, *none] if right is not None]
    return Score(threshold, plain.count(True) / len(plain), other.count(True) / len(other), said.count(True) / max(1, len(said)),
                 sum(right is not None for right in none) / len(none))  # fmt: skip


def main() -> None:
    """Print the table."""
    print("| threshold | recall, shared words | recall, paraphrase | precision | false recall |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for step in range(10, 55, 5):
        print("| " + " | ".join(f"{value:.2f}" for value in measure(step / 100)) + " |")


if __name__ == "__main__":
    main()
