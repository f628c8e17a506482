"""Case B3 at its full size: one line of 250 MB, in processes of their own."""

import filecmp
import os
import subprocess
import sys
from pathlib import Path

import pytest
from archive import Archive, answer, claude, line

ROOT = Path(__file__).parents[2]
SESSION = "aaaaaaaa-0000-4000-8000-000000000001"
LARGEST_RSS_MB = 200
MEASURE = "import sys; from pathlib import Path; from measure import run; print(run('one', Path(sys.argv[1]), *sys.argv[2:]).rss_mb)"


@pytest.mark.parametrize("kind", ["tool result", "prompt"])
def test_b3_a_line_of_250_mb_takes_less_memory_than_its_length(archive: Archive, tmp_path: Path, kind: str) -> None:
    """One line of 250 MB, read, replayed, verified and exported within the budget for files of any size; what stands behind it is found."""
    content = "@@" if kind == "prompt" else [{"type": "tool_result", "tool_use_id": "t1", "content": "@@"}]
    begin, end = line(claude(2, SESSION, "", message={"role": "user", "content": content})).split(b"@@")
    path = archive.write(archive.claude_path(SESSION), claude(1, SESSION, "beforelong"), begin)
    with path.open("ab") as file:
        for _ in range(270):
            file.write(b"some \\\"output\\\" of it\\n" * 40_000 + b"x" * 40_000)
    archive.write(path, end, answer(3, SESSION, "afterlong", "m1"), append=True)
    assert path.stat().st_size > 250_000_000
    # From a small process: a peak would be that of the one that starts it.
    measured = [subprocess.run([sys.executable, "-c", MEASURE, str(archive.home), *words], capture_output=True, text=True, check=True,
                               env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests/bench'}"}).stdout
                for words in (("ingest", "--root", f"claude={archive.folder / '.claude'}"), ("replay", "--verify"), ("verify",),
                              ("export", SESSION, "--format", "raw", "--output", str(tmp_path / "raw")))]  # fmt: skip
    assert filecmp.cmp(tmp_path / "raw", path, shallow=False)
    path.unlink()
    (tmp_path / "raw").unlink()
    assert max(map(float, measured)) <= LARGEST_RSS_MB
    assert [len(archive.hits(word)) for word in ("beforelong", "afterlong")] == [1, 1]
    assert archive.sessions()[SESSION]["output_tokens"] == 5
