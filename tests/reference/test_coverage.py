"""docs/reference/coverage.md: one line for every row, and no test that does not exist."""

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
PAGE = (PROJECT / "docs/reference/coverage.md").read_text()
ROWS = [re.split(r"(?<!\\)\|", line)[1:-1] for line in PAGE.splitlines() if re.match(r"\| [BHK]", line)]
CASES = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.splitlines() if re.match(r"\| E\d", line)]
TESTS = {name for path in (PROJECT / "tests").rglob("test_*.py") for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)}


def test_every_row_has_exactly_one_line() -> None:
    """B1 to B87, BW1 to BW28, H1 to H62 and HW1 to HW25, in this order, each once."""
    wanted = [f"{letter}{number}" for letter, last in (("B", 87), ("BW", 28), ("H", 62), ("HW", 25)) for number in range(1, last + 1)]
    assert [row[0].strip() for row in ROWS if not row[0].strip().startswith("K")] == wanted


def test_every_row_of_forks_and_skills_has_exactly_one_line() -> None:
    """The rows of part K that are about finding, loading and keeping sessions, in this order."""
    part = PAGE.partition("## Forks, priming and skills")[2]
    found = re.findall(r"^\| (KW?\d+) \|", part, re.MULTILINE)
    wanted = [*range(1, 19), 22, 23, *range(28, 35)]
    assert found == [f"K{number}" for number in wanted] + [f"KW{number}" for number in (1, 2, 3, 7, 8, 9)]


def test_every_row_of_part_k_has_exactly_one_line() -> None:
    """K1 to K34 and KW1 to KW10, in whichever of its three parts."""
    found = re.findall(r"^\| (KW?\d+) \|", PAGE, re.MULTILINE)
    assert sorted(found) == sorted([f"K{number}" for number in range(1, 35)] + [f"KW{number}" for number in range(1, 11)])


def test_every_row_and_case_of_the_index_has_exactly_one_line() -> None:
    """The rows of part K that are about search by meaning, and cases G1 to G8 without G5, each with a test of its number."""
    part = PAGE.partition("## Search by meaning")[2].partition("## Forks")[0]
    assert re.findall(r"^\| (KW?\d+) \|", part, re.MULTILINE) == ["K21", "K25", "K26", "K27", "KW4", "KW5", "KW6"]
    cases = re.findall(r"^\| (G\d) \| (.*) \|$", part, re.MULTILINE)
    assert [case for case, _ in cases] == ["G1", "G2", "G3", "G4", "G6", "G7", "G8"]
    for case, named in cases:
        tests = re.findall(r"`(test_\w+)`", named)
        assert set(tests) <= TESTS
        assert all(f"_{case.lower()}_" in test for test in tests)


@pytest.mark.parametrize("row", ROWS, ids=[row[0].strip() for row in ROWS])
def test_a_row_names_tests_that_exist(row: list[str]) -> None:
    """What is done or better names a test, what is not yet says what is missing, and every named test is in this repository."""
    _, standing, what, named = (cell.strip() for cell in row)
    tests = re.findall(r"`(test_\w+)`", named)
    assert standing in ("done", "better", "not yet")
    assert len(what) > 20
    assert tests or standing == "not yet"
    assert set(tests) <= TESTS
    assert named == " ".join(f"`{test}`" for test in tests)


def test_every_case_of_hooks_has_a_test_of_its_number() -> None:
    """E1 to E18 without E12 and E14, which are no cases; the first named test carries the number."""
    assert [case for case, _ in CASES] == [f"E{number}" for number in range(1, 19) if number not in (12, 14)]
    for case, named in CASES:
        tests = re.findall(r"`(test_\w+)`", named)
        assert tests[0].startswith(f"test_{case.lower()}_")
        assert set(tests) <= TESTS


def test_k34_one_interpreter_and_no_node() -> None:
    """The package asks for Python 3.11, and nothing of it is a package of Node or starts one."""
    assert 'requires-python = ">=3.11"' in (PROJECT / "pyproject.toml").read_text()
    folders = [PROJECT / folder for folder in ("cli", "ingest", "journal", "projections", "migrations")]
    assert [path for folder in folders for path in folder.rglob("package.json")] == []
    assert [path for folder in folders for path in folder.rglob("*.py") if re.search(r"[\"']node[\"']", path.read_text())] == []
