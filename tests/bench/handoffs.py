"""CPU of `journal handoff save` and `load`: 200 anchors in a repository of 20,000 files, processes and their children.

    python tests/bench/handoffs.py
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FILES, ANCHORS, RUNS = 20_000, 200, 5


def repository(folder: Path) -> None:
    """Make a repository of many files, all committed, with some work in progress."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    text = "".join(f"line {number} of a file\n" for number in range(60))
    parts = [b"commit refs/heads/main\ncommitter a <a@example.org> 1796073600 +0000\ndata 3\none\n"]
    for number in range(FILES):
        data = f"# file {number}\n{text}".encode()
        parts.append(f"M 100644 inline src/p{number % 200:03}/f{number:05}.py\ndata {len(data)}\n".encode() + data + b"\n")
    subprocess.run(["git", "-C", str(folder), "fast-import", "--quiet"], input=b"".join(parts), check=True)
    subprocess.run(["git", "-C", str(folder), "reset", "-q", "--hard"], check=True)


def notes(path: Path) -> None:
    """Write findings that name 200 ranges in as many files."""
    places = [f"src/p{number % 200:03}/f{number:05}.py:{number % 50 + 2}-{number % 50 + 5}" for number in range(ANCHORS)]
    lines = "".join(f"- Finding {number} says what the lines do and why that matters: `{place}`.\n" for number, place in enumerate(places))
    path.write_text(f"# Large\n## Purpose\nMeasure what a handoff costs.\n## Findings\n{lines}## Open questions\n- Is it fast?\n## Next moves\n- Look.\n")


def cpu(words: list[str], folder: Path) -> float:
    """Return the CPU seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "journal", *words], cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print the median and the range of some runs."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "repo"
        os.environ |= {"HOME": place, "JOURNAL_HOME": f"{place}/journal"}
        repository(folder)
        notes(Path(place) / "notes.md")
        subprocess.run([sys.executable, "-m", "journal", "handoff", "save", "--notes", f"{place}/notes.md"], cwd=folder, check=True, capture_output=True)
        for number in range(0, ANCHORS, 4):
            path = folder / f"src/p{number % 200:03}/f{number:05}.py"
            path.write_text("# above\n" + path.read_text())
        for words in (["handoff", "save", "--notes", f"{place}/notes.md"], ["handoff", "load"], ["handoff", "load", "--deep"], ["config"]):
            runs = sorted(cpu(words, folder) for _ in range(RUNS))
            print(f"{' '.join(words[:2] + words[3:]):16} {runs[RUNS // 2]:.2f} s ({runs[0]:.2f} to {runs[-1]:.2f})")


if __name__ == "__main__":
    main()
