"""How good a handoff is: nine dimensions over what was verified, never over how much was written. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

WEIGHTS = {
    "evidence_coverage": 3.0, "open_question_honesty": 2.5, "repo_specificity": 2.5, "findings_substance": 2.0, "resume_usability": 2.0,
    "completeness": 1.0, "markdown_clarity": 1.0, "entity_richness": 0.5, "relation_richness": 0.3,
}  # fmt: skip
STRONG, ACCEPTABLE = 0.6, 0.35
FILLER = re.compile(
    r"^(?:(?:this|it|that|the code|the project|everything|things?|all|details?|more|further|some|needs?|is|are|was|to be|still|refinement|refined|"
    r"direct|validation|validated|starter|handoff|unknown|unclear|tbd|todo|wip|fine|good|ok|done|works?|working|well|various|improvements?|"
    r"made|were|looks|seems|should|be|checked|and|or|of|for|now|so far|later)[\s.,;:!]*)+$",
    re.IGNORECASE,
)
SHORTEST_STATEMENT = 15


class Measured(NamedTuple):
    """What the quality is computed of."""

    title: str
    purpose: str
    findings: Sequence[str]
    verified_of: Sequence[int]
    """For each finding how many of its anchors were found."""
    verified: int
    """Anchors of all statements that were found, each place once."""
    refused: Sequence[str]
    files: int
    """Different files among the verified anchors."""
    questions: Sequence[str]
    moves: Sequence[str]
    text: str
    """The notes as they were."""
    headings: int


class Quality(NamedTuple):
    """The judgement."""

    score: float
    rating: str
    dimensions: dict[str, float]
    warnings: list[str]


def is_filler(text: str) -> bool:
    """Tell whether a statement says nothing: too short, or made of words that fit any project."""
    return len(text) < SHORTEST_STATEMENT or bool(FILLER.match(text))


def measure(said: Measured) -> Quality:
    """Return the quality with the reasons; what would lift it most is warned of first."""
    warnings: list[tuple[str, str]] = []
    real = [text for text in said.findings if not is_filler(text)]
    filler = len(said.findings) - len(real)
    questions = [text for text in said.questions if len(text) >= 10]
    n = said.verified
    coverage = 0.0 if not n else 0.3 if n < 3 else 0.6 if n < 6 else min(1.0, n / 10)
    if said.refused:
        coverage *= n / (n + len(said.refused))
        warnings.append(("evidence_coverage", f"{len(said.refused)} of {n + len(said.refused)} anchors do not resolve: {', '.join(said.refused[:3])}"))
    if n < 3:
        warnings.append(("evidence_coverage", "no anchor was verified; name files as path:line" if not n else
                         "only one anchor was verified" if n == 1 else f"only {n} anchors were verified"))  # fmt: skip
    bare = sum(not count for count in said.verified_of)
    if bare and n:
        warnings.append(("evidence_coverage", f"{bare} of {len(said.findings)} findings have no verified evidence"))
    honesty = 0.2 if not questions else 0.5 if len(questions) == 1 else min(1.0, 0.5 + 0.1 * len(questions))
    if not questions:
        warnings.append(("open_question_honesty", "suspiciously certain: not one open question"))
    proved = sum(count > 0 and not is_filler(text) for text, count in zip(said.findings, said.verified_of, strict=True))
    has_purpose = len(said.purpose) > 20 and not is_filler(said.purpose)
    specific = min(0.4, 0.1 * said.files) + (0.2 if has_purpose else 0.0) + min(0.4, 0.1 * proved)
    if specific < 0.3:
        warnings.append(("repo_specificity", "it could be about any project: say what the work is for, and give each finding its place"))
    length = sum(map(len, real)) / len(real) if real else 0.0
    share = filler / len(said.findings) if said.findings else 0.0
    substance = max(0.0, 0.4 * min(1.0, len(real) / 6) + 0.6 * min(1.0, length / 80) - 0.4 * share) if real else 0.0
    if filler:
        warnings.append(("findings_substance", f"{filler} of {len(said.findings)} findings say nothing"))
    if not said.findings:
        warnings.append(("findings_substance", "there are no findings; put them under `## Findings`"))
    moves = [text for text in said.moves if not is_filler(text)]
    resume = " ".join([*moves, said.purpose if has_purpose else ""]).strip()
    usable = 0.0 if not resume else 0.2 if len(resume) < 50 else 0.5 if len(resume) < 200 else min(1.0, 0.6 + len(resume) / 2000)
    if not moves:
        warnings.append(("resume_usability", "there are no next moves; put them under `## Next moves`"))
    parts = (len(said.title) > 3, has_purpose, bool(real), n > 0, bool(questions), bool(moves))
    # A long text of nothing is not clear: what is neither proved nor new counts for nothing here.
    clear = 0.2 if len(said.text) < 200 else 0.4 if said.headings < 3 else 0.6 if len(said.text) < 800 else min(1.0, 0.7 + 0.03 * said.headings)
    dimensions = {
        "evidence_coverage": coverage, "open_question_honesty": honesty, "repo_specificity": specific, "findings_substance": substance,
        "resume_usability": usable, "completeness": sum(parts) / len(parts), "markdown_clarity": clear if real else 0.0,
        "entity_richness": 0.0 if not said.files else 0.4 if said.files < 3 else min(1.0, said.files / 10), "relation_richness": min(1.0, proved / 8),
    }  # fmt: skip
    score = sum(WEIGHTS[name] * value for name, value in dimensions.items()) / sum(WEIGHTS.values())
    rating = "strong" if score >= STRONG else "acceptable" if score >= ACCEPTABLE else "weak"
    order = sorted(warnings, key=lambda pair: -(1 - dimensions[pair[0]]) * WEIGHTS[pair[0]])
    return Quality(round(score, 3), rating, {name: round(value, 3) for name, value in dimensions.items()}, [text for _, text in order])
