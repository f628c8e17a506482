"""How well `journal fork detect` finds the session that solved a task: the questions of the retrieval benchmark, both scorings, with an index and without.

Usage: python tests/bench/forks.py [--home FOLDER]   (--home keeps what was indexed, for a second run)
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

from retrieval import Question, Score, prepared, score, sessions

NOW = 1_790_000_000.0
"""A fixed present, so that recency is the same in every run."""
COLUMNS = (("default", True), ("classic", True), ("default", False), ("classic", False))
"""Scoring, and whether there is an index."""


def ranked(settings: Any, questions: Sequence[Question], columns: Sequence[tuple[str, bool]] = COLUMNS) -> dict[tuple[str, bool], list[list[str]]]:
    """Return the sessions found for each question, for every scoring, with an index and without."""
    from cli.forks import evidence as fork_evidence
    from cli.index import semantic
    from cli.wiring import read_views
    from projections import registry_rows
    from projections.forks import SCORINGS, rank

    search, why = semantic.open_search(settings)
    assert search is not None, why
    found: dict[tuple[str, bool], list[list[str]]] = {column: [] for column in columns}
    with closing(read_views(settings)) as views:
        lineage = registry_rows.lineage(views)
        for question in questions:
            for indexed in sorted({indexed for _, indexed in columns}):
                evidence = fork_evidence.gather(settings, views, question.text, None, lineage, NOW, (), opened=(search, "") if indexed else (None, "left out"))
                for scoring, with_index in columns:
                    if with_index == indexed:
                        scored, _ = rank(evidence.candidates, SCORINGS[scoring], words_alone=not indexed)
                        found[scoring, indexed].append([one.session_id for one in scored])
    return found


def table(scores: dict[tuple[str, bool], dict[str, Score]]) -> Iterable[str]:
    """Yield the lines of a table: kind by scoring."""
    heads = [f"{scoring}{'' if indexed else ', words alone'} @1 / @5 / MRR" for scoring, indexed in COLUMNS]
    yield f"| kind | questions | {' | '.join(heads)} |"
    yield "| --- | --- |" + " --- |" * len(heads)
    for kind, first in scores[COLUMNS[0]].items():
        cells = (f"{one.first:.2f} / {one.five:.2f} / {one.mrr:.2f}" for one in (scores[column][kind] for column in COLUMNS))
        yield f"| {kind} | {first.questions} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--home", type=Path)
    asked = arguments.parse_args()
    told, questions = sessions()
    with tempfile.TemporaryDirectory() as folder:
        if asked.home and (asked.home / "home").exists():
            from journal.settings import load

            os.environ |= {"HOME": str(asked.home), "JOURNAL_HOME": str(asked.home / "home")}
            settings = load(os.environ)
        else:
            settings = prepared(asked.home or Path(folder), told)
        begun = time.perf_counter()
        found = ranked(settings, questions)
        spent = time.perf_counter() - begun
    print(f"{len(told)} sessions, {len(questions)} questions, {1000 * spent / len(questions) / 2:.0f} ms a question\n")
    print("\n".join(table({column: score(questions, found[column]) for column in COLUMNS})))


if __name__ == "__main__":
    main()
