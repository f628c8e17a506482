"""What `journal handoff save` prints of a handoff's quality: score, rating, each dimension, and what to fix first."""

import os
import subprocess
import sys
from pathlib import Path

from handoff_world import CALC, NOTES, Repository

INVENTED = """# The ledger's lock

## Purpose
Make the ledger's settlement exact across currencies and time zones.

## Findings
- The importer rounds half to even before it posts to the journal table, which loses a cent per batch: `src/importer.py:3-9`.
- The exporter truncates the amount of each audit row to two places after the second conversion: `src/exporter.py:10-16`.
- The settler nets obligations before the cut-off of Tokyo is known, so that trades slip by a day: `src/settler.py:17-23`.
- The pricer caches quotes of a currency pair under the name of its inverse: `src/pricer.py:24-30`.
- The matcher fills the older of two equal orders twice when both arrive in one batch: `src/matcher.py:31-37`.
- The netter drops obligations of less than one unit without a trace in the suspense account: `src/netter.py:38-44`.

## Open questions
- Does the clearing house accept negative settlement amounts at all?
- Which time zone governs the cut-off for Tokyo trades?
- Is a cent per batch material to the auditors?

## Next moves
1. Replace the rounding in src/importer.py by banker's arithmetic on integers.
2. Post the differences of the last quarter to the suspense account, and tell the auditors about them.
"""
FILLER = "# Status\n\n## Findings\n" + "".join(
    f"- Everything works well so far, see `made/up{number}.py:{number}`.\n- Needs refinement.\n" for number in range(1, 3)
) + "\n## Open questions\n- Anything else to do?\n\n## Next moves\n- More improvements to be made.\n"  # fmt: skip
SMALL = """# The rounding of sums

## Findings
- The sum is rounded twice, once in `calc.py:5` and once by the caller.

## Open questions
- Who calls sub with negative numbers?

## Next moves
- Test `calc.py` with large numbers.
"""


def printed(repo: Repository, notes: str) -> list[str]:
    """Return the lines that a save prints, without the id that begins them."""
    path = repo.archive.folder / "notes.md"
    path.write_text(notes)
    status, out, _ = repo.archive.run("handoff", "save", "--notes", str(path))
    assert status == 0
    return out.split(": ", 1)[1].splitlines()


def test_fluent_findings_with_invented_anchors_are_told_to_be_weak(repo: Repository) -> None:
    """Substance, questions and moves are granted; without one place that is there they are no handoff, and each place is refused with its reason."""
    assert printed(repo, INVENTED) == [
        "The ledger's lock",
        "6 findings, 0 of 6 anchors verified",
        ("quality: weak (0.28), of findings substance 1.00, completeness 0.83, markdown clarity 0.82, open question honesty 0.80, resume usability 0.72,"
        " repo specificity 0.20, evidence coverage 0.00, entity richness 0.00, relation richness 0.00; to fix first:"),
        "- 6 of 6 anchors do not resolve: src/importer.py:3-9, src/exporter.py:10-16, src/settler.py:17-23",
        "- no anchor was verified; name files as path:line",
        "- it could be about any project: say what the work is for, and give each finding its place",
        "refused: src/importer.py:3-9: there is no such file",
        "refused: src/exporter.py:10-16: there is no such file",
        "refused: src/settler.py:17-23: there is no such file",
        "refused: src/pricer.py:24-30: there is no such file",
        "refused: src/matcher.py:31-37: there is no such file",
        "refused: src/netter.py:38-44: there is no such file",
    ]


def test_filler_is_told_to_be_weak(repo: Repository) -> None:
    """What to fix comes in the order of what it would bring."""
    assert printed(repo, FILLER) == [
        "Status",
        "4 findings, 0 of 2 anchors verified",
        ("quality: weak (0.03), of open question honesty 0.20, completeness 0.17, evidence coverage 0.00, repo specificity 0.00, findings substance 0.00,"
        " resume usability 0.00, markdown clarity 0.00, entity richness 0.00, relation richness 0.00; to fix first:"),
        "- 2 of 2 anchors do not resolve: made/up1.py:1, made/up2.py:2",
        "- no anchor was verified; name files as path:line",
        "- it could be about any project: say what the work is for, and give each finding its place",
        "- suspiciously certain: 1 of 1 open questions ask nothing",
        "- 4 of 4 findings say nothing",
        "- 1 of 1 next moves say nothing",
        "refused: made/up1.py:1: there is no such file",
        "refused: made/up2.py:2: there is no such file",
    ]


def test_an_honest_small_handoff_is_told_to_be_acceptable(repo: Repository) -> None:
    """One proved finding, one question and one move; what would lift it most is told first."""
    assert printed(repo, SMALL) == [
        "The rounding of sums",
        "1 finding, 2 of 2 anchors verified",
        ("quality: acceptable (0.40), of completeness 0.83, markdown clarity 0.60, findings substance 0.58, open question honesty 0.50, entity richness 0.40,"
        " evidence coverage 0.30, repo specificity 0.20, resume usability 0.20, relation richness 0.12; to fix first:"),
        "- only 2 anchors were verified",
        "- it could be about any project: say what the work is for, and give each finding its place",
    ]


def test_an_honest_handoff_is_told_to_be_strong(repo: Repository) -> None:
    """Three proved findings, a purpose, a question and a move have nothing to fix first."""
    assert printed(repo, NOTES) == [
        "The lock of the ledger",
        "3 findings, 4 of 4 anchors verified",
        ("quality: strong (0.62), of completeness 1.00, findings substance 0.76, repo specificity 0.70, evidence coverage 0.60, markdown clarity 0.60,"
        " open question honesty 0.50, resume usability 0.50, entity richness 0.40, relation richness 0.38"),
    ]


def test_the_package_runs_by_its_name(repo: Repository, tmp_path: Path) -> None:
    """`python -m journal` is the command line, in any folder, also on a terminal that has ASCII alone, and names itself `journal`."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(__file__).parents[2]), "JOURNAL_HOME": str(repo.archive.home), "HOME": str(tmp_path),
                   "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}  # fmt: skip
    path = repo.archive.folder / "notes.md"
    path.write_text(NOTES.replace("The lock of the ledger", "Größe"))

    def run(*words: str) -> str:
        return subprocess.run([sys.executable, "-m", "journal", *words], env=environment, check=True, capture_output=True).stdout.decode("ascii")

    assert run("--help").startswith("usage: journal [-h]")
    assert "Gr\\xf6\\xdfe" in run("handoff", "save", "--notes", str(path))
    repo.write("calc.py", "# one\n" + CALC)
    assert "calc.py:5-7" in run("handoff", "load")
