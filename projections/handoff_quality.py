"""How good a handoff is: nine dimensions over what was verified, never over how much was written. Pure."""

import re
from collections.abc import Sequence
from typing import NamedTuple

WEIGHTS = {
    "evidence_coverage": 3.0, "open_question_honesty": 2.5, "repo_specificity": 2.5, "findings_substance": 2.0, "resume_usability": 2.0,
    "completeness": 1.0, "markdown_clarity": 1.0, "entity_richness": 0.5, "relation_richness": 0.3,
}  # fmt: skip
STRONG, ACCEPTABLE = 0.6, 0.35
GENERIC = frozenset("""
a about above actually additional after again all almost already also always an and another any anything appears appropriate approach appropriately are area
areas around as aspect aspects at attention available bad base based basic basically be because been before being best better between big both but by can cannot
case certain certainly change changed changes check checked clean clear clearly code codebase complete completed completely component components concern
concerns configuration consider considered contain contains continue correct correctly could current currently deal design detail details did different direct
directly do documentation does doing done easy effective efficient elements else enough ensure entire error errors etc even every everything example existing
expected explore explored far feature features few file files final fine first fix fixed fixes follow followed following follows for found from full fully
function functional functionality functions further future general generally get gets give given go going good great had handle handled handles handling has
have having help here high how however if implement implementation implemented implements important improve improved improvement improvements in include
includes including information initial into is issue issues it items its itself just keep key kind known large last later least let level like likely little
logic long look looked looking looks lot made main mainly maintainable make makes making many matter may maybe might minor module modules more most mostly
much multiple must near necessary need needed needs new next nice no normal not nothing now number of off ok okay on once one only or order other others our
out over overall own part particular parts pass passed passes pending perhaps place places plan planned please point possible possibly potential practice
practices pretty probably problem problems process processes progress project projects proper properly provide provided provides quality quite rather reach
read ready real really reasonable reasonably recent recommend refine refined refinement refactor refactored refactoring related relevant remain remaining
remains repo repository require required requires rest result results review reviewed right robust run running runs same scope section see seem seemed seems
session set several should show shows significant similar simple simply since single small so solid some something soon source sources standard start
started starter state status step steps still structure structured such sure system systems take taken task tasks tbd test tested testing tests than that the
their them then there these they thing things this those though thoroughly through throughout thus time to todo together too touch tool tools toward try
two type types unclear under understand understanding understood unfinished unit unknown until up update updated updates us use used useful user uses using
usual usually valid validate validated validation various verified verify very via wait want was way ways we well went were what when where whether which
while who whole why will wip with within without work worked working works would write written yes yet you your handoff note notes context summary
structured organized organised architecture scalable reliable successfully successful stable smoothly smooth acceptable adequate sufficient hopefully
""".split())
"""Words that fit any project; a statement without two others says nothing."""
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
PLACES = re.compile(
    r"`+[^`\n]*`+|https?://\S+|\[[^\]\n]{0,300}+\]\([^)\n]{0,500}+\)"
    r"|(?<![\w.@+~-])(?:[\w.@+~-]++/)+[\w.@+-]+(?:[:#][\w.-]*)*|(?<![\w.-])[\w.-]++:\d+(?:-\d+)?"
)
"""What names a place: it proves a statement, and says nothing by itself."""
SHORTEST_STATEMENT_BYTES = 15
SHORTEST_QUESTION = 10
UNPROVED = 0.55
"""What the score is worth where not one place was verified."""


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


def is_filler(text: str, least: int = 2) -> bool:
    """Tell whether a statement says nothing: too short, or without *least* words beside those that fit any project and names of places."""
    bare = PLACES.sub(" ", text)
    told = {part for word in WORD.findall(bare.casefold().replace("’", "'")) for part in word.split("-") if part.split("'")[0] not in GENERIC}
    # Scripts without spaces between words: three signs are about a word.
    count = sum(len(word) // 3 if word[0] > "\u2e80" else 1 for word in told)
    return len(text.encode("utf-8", "replace")) < SHORTEST_STATEMENT_BYTES or (count < least and not re.search(r"\d", bare))


def repeats(texts: Sequence[str]) -> list[bool]:
    """Tell of each statement whether one before it says the same, but for names of places and numbers."""
    seen: set[str] = set()
    found = []
    for text in texts:
        bare = " ".join(WORD.findall(PLACES.sub(" ", text).casefold()))
        found.append(bare in seen)
        seen.add(bare)
    return found


def measure(said: Measured) -> Quality:
    """Return the quality with the reasons; what would lift it most is warned of first."""
    warnings: list[tuple[str, str]] = []
    again = repeats(said.findings)
    says = [not is_filler(text) and not is_again for text, is_again in zip(said.findings, again, strict=True)]
    real = [text for text, is_said in zip(said.findings, says, strict=True) if is_said]
    filler = len(said.findings) - len(real)
    questions = [text for text in said.questions if len(text) >= SHORTEST_QUESTION and not is_filler(text.ljust(SHORTEST_STATEMENT_BYTES), 1)]
    n = said.verified
    # Places of statements that say nothing, or again what was said, prove nothing.
    proving = max(0, n - sum(count for count, is_said in zip(said.verified_of, says, strict=True) if not is_said))
    coverage = 0.0 if not proving else 0.3 if proving < 3 else 0.6 if proving < 6 else min(1.0, proving / 10)
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
        empty_ones = f"{len(said.questions)} of {len(said.questions)} open questions ask nothing"
        warnings.append(("open_question_honesty", f"suspiciously certain: {empty_ones if said.questions else 'not one open question'}"))
    proved = sum(count > 0 and is_said for is_said, count in zip(says, said.verified_of, strict=True))
    has_purpose = len(said.purpose) > 20 and not is_filler(said.purpose)
    specific = min(0.4, 0.1 * said.files) + (0.2 if has_purpose else 0.0) + min(0.4, 0.1 * proved)
    if specific < 0.3:
        warnings.append(("repo_specificity", "it could be about any project: say what the work is for, and give each finding its place"))
    length = sum(map(len, real)) / len(real) if real else 0.0
    share = filler / len(said.findings) if said.findings else 0.0
    substance = max(0.0, 0.4 * min(1.0, len(real) / 6) + 0.6 * min(1.0, length / 80) - 0.4 * share) if real else 0.0
    empty = sum(map(is_filler, said.findings))
    if empty:
        warnings.append(("findings_substance", f"{empty} of {len(said.findings)} findings say nothing"))
    if filler > empty:
        warnings.append(("findings_substance", f"{filler - empty} of {len(said.findings)} findings repeat another one, but for places and numbers"))
    if not said.findings:
        warnings.append(("findings_substance", "there are no findings; put them under `## Findings`"))
    moves = [text for text in said.moves if not is_filler(text) or PLACES.search(text)]
    resume = " ".join([*moves, said.purpose if has_purpose else ""]).strip()
    usable = 0.0 if not resume else 0.2 if len(resume) < 50 else 0.5 if len(resume) < 200 else min(1.0, 0.6 + len(resume) / 2000)
    if not moves:
        warnings.append(("resume_usability", f"{len(said.moves)} of {len(said.moves)} next moves say nothing" if said.moves
                         else "there are no next moves; put them under `## Next moves`"))  # fmt: skip
    parts = (len(said.title) > 3, has_purpose, bool(real), n > 0, bool(questions), bool(moves))
    # A long text of nothing is not clear: what is neither proved nor new counts for nothing here.
    clear = 0.2 if len(said.text) < 200 else 0.4 if said.headings < 3 else 0.6 if len(said.text) < 800 else min(1.0, 0.7 + 0.03 * said.headings)
    dimensions = {
        "evidence_coverage": coverage, "open_question_honesty": honesty, "repo_specificity": specific, "findings_substance": substance,
        "resume_usability": usable, "completeness": sum(parts) / len(parts), "markdown_clarity": clear if real else 0.0,
        "entity_richness": 0.0 if not said.files else 0.4 if said.files < 3 else min(1.0, said.files / 10), "relation_richness": min(1.0, proved / 8),
    }  # fmt: skip
    trust = n / (n + len(said.refused)) if n else 0.0
    score = sum(WEIGHTS[name] * value for name, value in dimensions.items()) / sum(WEIGHTS.values()) * (UNPROVED + (1 - UNPROVED) * trust)
    rating = "strong" if score >= STRONG else "acceptable" if score >= ACCEPTABLE else "weak"
    order = sorted(warnings, key=lambda pair: -(1 - dimensions[pair[0]]) * WEIGHTS[pair[0]])
    return Quality(round(score, 3), rating, {name: round(value, 3) for name, value in dimensions.items()}, [text for _, text in order])
