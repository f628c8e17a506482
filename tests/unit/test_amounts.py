"""How many and how much, in words."""

import pytest

from cli.amounts import counted, sized


@pytest.mark.parametrize(("number", "told"), [
    (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"), (937_984, "938 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"),
    (1_449_984, "1.4 MB"), (75_462_959_104, "75 GB"), (2_500_000_000_000, "2.5 TB"), (1_234_000_000_000_000, "1,234 TB"),
])  # fmt: skip
def test_bytes_have_at_most_three_digits(number: int, told: str) -> None:
    """Decimal units, rounded; the next unit from where the figure would be 1000."""
    assert sized(number) == told


def test_one_is_told_as_one() -> None:
    """Only one of a thing has no s; an odd plural is given."""
    assert [counted(n, "file") for n in (0, 1, 2, 2665)] == ["0 files", "1 file", "2 files", "2,665 files"]
    assert [counted(n, "copy", "copies") for n in (1, 3)] == ["1 copy", "3 copies"]
