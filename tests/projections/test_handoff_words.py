"""Locators, notes and quality by themselves: what words name, and how they are judged."""

import pytest

from journal.ranges import lines_of, places_of, shape_of, starts_of
from projections import anchors, handoff_notes, handoff_quality
from projections.drift import Anchor, Judged, severity_of, statements_of

FORMS = [
    ("see `a.py:10`", [("file", "a.py", 10, 10, None, True)]),
    ("a.py:10-20", [("file", "a.py", 10, 20, None, True)]),
    ("a.py:10–20", [("file", "a.py", 10, 20, None, True)]),
    ("a.py:10:5", [("file", "a.py", 10, 10, None, True)]),
    ("a.py#L10", [("file", "a.py", 10, 10, None, True)]),
    ("a.py#L10-L20", [("file", "a.py", 10, 20, None, True)]),
    ("[it](src/a.py#L3)", [("file", "src/a.py", 3, 3, None, True)]),
    ("a.py::Ledger.add", [("file", "a.py", None, None, "Ledger.add", True)]),
    ("`std::vector` and 12:30", [("file", "std", None, None, "vector", False), ("file", "12", 30, 30, None, False)]),
    ("`src/`", [("file", "src/", None, None, None, True)]),
    ("`Makefile`", [("file", "Makefile", None, None, None, False)]),
    ("straße/übung.py:7", [("file", "straße/übung.py", 7, 7, None, True)]),
    ("commit 9f2c1d", [("commit", "9f2c1d", None, None, None, True)]),
    ("the defaced page", [("commit", "defaced", None, None, None, False)]),
    ("https://example.org/a.py:10.", [("url", "https://example.org/a.py:10", None, None, None, True)]),
    ("`git log -1`", [("command", "git log -1", None, None, None, True)]),
    ("a sentence and/or nothing", []),
]
DETAILS = [
    ("Evidence: src/my file.py:3 — note", "src/my file.py:3"),
    ("a.py - note", "a.py"),
    ("a.py -- note", "a.py"),
    ("a.py, b/c.py:2; d.py and e.py", "e.py"),
    (r"C:\x\a.py:10 — note", r"C:\x\a.py:10"),
]


@pytest.mark.parametrize(("text", "expected"), FORMS, ids=[text for text, _ in FORMS])
def test_a_sentence_names_places(text: str, expected: list[tuple[object, ...]]) -> None:
    """Kind, path, lines, symbol, and whether it must be a locator, for each form."""
    assert [(one.kind, one.path, one.start, one.end, one.symbol, one.is_certain) for one in anchors.of_text(text)] == expected


@pytest.mark.parametrize(("text", "locator"), DETAILS, ids=[text for text, _ in DETAILS])
def test_a_line_of_evidence_names_a_place_before_its_note(text: str, locator: str) -> None:
    """With label, with spaces, with every dash, several in one."""
    found = [one.raw for one in anchors.of_detail(text)]
    assert locator in found
    assert not any("note" in one for one in found)


def test_lines_have_no_ends_and_a_block_is_found_by_what_stands_around_it() -> None:
    """CRLF and LF are the same; of two equal blocks the one with the same neighbours comes first."""
    assert lines_of(b"a\r\nb\n\nc") == ["a", "b", "", "c"]
    old = ["x", "same", "y"]
    new = ["p", "same", "q", "x", "same", "y"]
    assert places_of(new, starts_of(new), shape_of(old, 2, 2), 1) == [5, 2]


def test_placeholders_are_no_statements() -> None:
    """None, n/a and TBD under a heading count as nothing."""
    notes = handoff_notes.read("## Open questions\n- None.\n- n/a\n- **TBD**\n- Is it fast?\n")
    assert [item.text for item in notes.items["question"]] == ["Is it fast?"]


@pytest.mark.parametrize(("text", "expected"), [
    ("needs refinement", True), ("Everything works well so far.", True), ("short", True), ("The owner of the lock is unknown after a crash.", False),
    ("Everything works well so far, see `made/up1.py:1`.", True), ("The code is well structured and follows best practices throughout the project.", True),
    ("Various components handle the data and work together properly, a.py:3.", True), ("`Foo.bar` calls `baz` twice", False),
    ("帳簿の鍵は一度だけ取る", False), ("3 tests fail in `t.py`", False),
])  # fmt: skip
def test_filler_is_found_by_content(text: str, expected: bool) -> None:
    """A word such as unknown inside a substantial finding does not make it filler."""
    assert handoff_quality.is_filler(text) is expected


def test_the_quality_is_the_weighted_mean_of_its_dimensions() -> None:
    """Computed by hand: six verified anchors in three files for three findings of 80 characters, two questions, one move of 60 characters, no purpose."""
    found = handoff_quality.measure(handoff_quality.Measured(
        "Title", "", [f"The ledger {word} a sum twice" + "x" * 51 for word in ("counts", "rounds", "misses")],
        [2, 2, 2], 6, [], 3, ["Is it twice in all cases?"] * 2,
        ["Read the ledger again and count every sum that stands in it" + "y"], "z" * 300, 3,
    ))  # fmt: skip
    assert found.dimensions == {
        "evidence_coverage": 0.6, "open_question_honesty": 0.7, "repo_specificity": 0.6, "findings_substance": 0.8, "resume_usability": 0.5,
        "completeness": 0.833, "markdown_clarity": 0.6, "entity_richness": 0.3, "relation_richness": 0.375,
    }  # fmt: skip
    assert (found.score, found.rating) == (0.631, "strong")  # 9.3458 / 14.8


def test_one_sentence_about_six_places_is_one_finding() -> None:
    """What differs in places and numbers alone repeats; its places prove nothing more, and the reason is told."""
    text = "The component number {0} coordinates requests and keeps its invariants under pressure: `calc.py:{0}`."
    one = handoff_quality.measure(handoff_quality.Measured(
        "Components", "", [text.format(1)], [1], 1, [], 1, ["Which one starves first?"] * 2,
        ["Profile the component under pressure."], "x" * 900, 4))  # fmt: skip
    six = handoff_quality.measure(handoff_quality.Measured(
        "Components", "", [text.format(n) for n in range(1, 7)], [1] * 6, 6, [], 1, ["Which one starves first?"] * 2,
        ["Profile the component under pressure."], "x" * 900, 4))  # fmt: skip
    assert "5 of 6 findings repeat another one, but for places and numbers" in six.warnings
    assert six.score < one.score < handoff_quality.STRONG
    assert six.dimensions["evidence_coverage"] == 0.3


WORDY = ["The ingestion pipeline transforms incoming payloads through several staged validators before persisting them.",
         "Authentication middleware intercepts requests and forwards validated tokens to downstream handlers.",
         "Retry semantics were hardened so that transient outages no longer cascade into queue saturation.",
         "Rate limiting buckets refill proportionally to observed traffic."]  # fmt: skip
ASKED = ["Which replicas lag behind during failover?", "How do tokens expire across regions?", "Does backpressure reach producers?", "Who owns retry budgets?"]
PLANNED = ["Profile the caching layer under synthetic load and compare eviction strategies carefully.",
           "Rehearse failover with the on-call team and operators."]  # fmt: skip


@pytest.mark.parametrize("refused", [[], [f"src/f{number}.py:{number}" for number in range(12)]], ids=["none named", "all invented"])
def test_words_without_any_verified_place_are_weak_however_good_they_sound(refused: list[str]) -> None:
    """Long telling findings, questions and moves do not make up for evidence that is not there."""
    found = handoff_quality.measure(handoff_quality.Measured(
        "Pipeline hardening", "Harden the pipeline against outages of replicas.", WORDY, [0] * 4, 0, refused, 0, ASKED, PLANNED, "x" * 3000, 8))  # fmt: skip
    assert found.rating == "weak"
    assert "no anchor was verified" in " ".join(found.warnings)


def test_one_proved_finding_one_question_and_one_move_are_acceptable() -> None:
    """The smallest honest handoff."""
    found = handoff_quality.measure(handoff_quality.Measured(
        "Lock", "", ["The lock is taken twice in the writer after a crash: `calc.py:4`"], [1], 1, [], 1, ["Does the reader wait too?"],
        ["Release it in `calc.py`."], "x" * 250, 3))  # fmt: skip
    assert found.rating == "acceptable"


def _judged(name: str, status: str) -> Judged:
    return Judged(Anchor(name, "a.py", "file", "a.py", None, None, None, None, None), status, None, "")


@pytest.mark.parametrize(("anchors_", "severity"), [
    ([], "none"), ([("F1", "n/a")], "none"), ([("F1", "verified"), ("F2", "ok")], "none"), ([("F1", "moved"), ("F2", "ok")], "low"),
    ([("M1", "gone"), ("F2", "ok")], "low"), ([("F1", "changed"), ("F2", "ok")], "medium"), ([("F1", "gone"), ("F2", "n/a")], "high"),
    ([("F1", "gone"), ("F2", "changed"), ("F3", "ok")], "high"),
])  # fmt: skip
def test_severity_follows_the_rules_of_the_page(anchors_: list[tuple[str, str]], severity: str) -> None:
    """The table of docs/reference/drift.md, by findings with evidence that can be checked."""
    judged = [_judged(name, status) for name, status in anchors_]
    rows = [(name, "move" if name == "M1" else "finding", "text") for name in ("F1", "F2", "F3", "M1")]
    assert severity_of(statements_of(rows, judged), judged)[0] == severity


def test_recommendations_are_at_risk_by_majority() -> None:
    """With anchors by their own, without by more than half of the findings."""
    rows = [("F1", "finding", ""), ("F2", "finding", ""), ("F3", "finding", ""), ("R1", "recommendation", ""), ("R2", "recommendation", "")]
    judged = [_judged("F1", "gone"), _judged("F2", "changed"), _judged("F3", "ok"), _judged("R2", "gone"), _judged("R2", "ok")]
    assert {one.statement_id: one.at_risk for one in statements_of(rows, judged)} == {"F1": True, "F2": True, "F3": False, "R1": True, "R2": False}
