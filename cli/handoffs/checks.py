"""Before a handoff is saved: a file to fill in, and what is wrong with notes or a bundle."""

import argparse
import os
from typing import Any

from cli.handoffs import evidence, rows
from cli.handoffs.saving import read_notes
from cli.render import print_json, print_text, say
from journal.errors import NotFound, SettingInvalid
from journal.settings import Settings

TEMPLATE = """# {title}

## Purpose

<!-- one or two sentences: what the work is for -->

## Findings

<!-- one bullet each, with its own evidence: `path:line`, `path:start-end`, `path::symbol`, `commit 1a2b3c4`, a URL -->

## Recommendations

## Open questions

<!-- what is not known yet; a handoff without any is suspiciously certain -->

## Next moves

<!-- what to do first, with the file it is about -->
"""


def init(settings: Settings, asked: argparse.Namespace) -> int:
    """Write a file with the headings that `handoff save --notes` reads."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | (os.O_TRUNC if asked.force else os.O_EXCL)
    try:
        descriptor = os.open(asked.output, flags, 0o600)
    except FileExistsError:
        raise SettingInvalid(f"{asked.output} is there already", hint="give another --output, or --force") from None
    except OSError as error:
        raise SettingInvalid(f"{asked.output}: {error.strerror}", hint="give another --output") from error
    with open(descriptor, "w", encoding="utf-8") as file:
        file.write(TEMPLATE.format(title=asked.title or "Title"))
    if asked.json:
        print_json({"path": os.path.abspath(asked.output)})
    else:
        print_text(f"{asked.output}: fill it in, then: journal handoff save --notes {asked.output}")
    return 0


def validate(settings: Settings, asked: argparse.Namespace) -> int:
    """Tell what is wrong with notes or a bundle directory; exit status 1 where something is."""
    if os.path.isdir(asked.path):
        from ingest import bundle_folders
        from projections import handoff_files

        answer: dict[str, Any] = {"kind": "bundle", "problems": handoff_files.problems(bundle_folders.read(asked.path)), "quality": None, "score": None,
                                  "warnings": []}  # fmt: skip
    elif os.path.exists(asked.path):
        answer = {"kind": "notes", **_of_notes(asked.path)}
    else:
        raise NotFound(f"{asked.path}: there is no such file or folder", hint="name notes, or a bundle directory")
    if asked.json:
        print_json({"path": os.path.abspath(asked.path), "is_valid": not answer["problems"], **answer})
    else:
        for line in answer["problems"]:
            print_text(f"wrong: {line}")
        for line in answer["warnings"]:
            print_text(f"- {line}")
        if answer["quality"]:
            print_text(f"quality: {answer['quality']} ({answer['score']:.2f})")
        if not answer["problems"]:
            say("nothing is wrong with it")
    return 1 if answer["problems"] else 0


def _of_notes(path: str) -> dict[str, Any]:
    """Return what `handoff save` would refuse of notes, and how it would judge them."""
    from ingest.anchoring import Files, Git
    from projections import handoff_notes

    text = read_notes(path)
    notes = handoff_notes.read(text)
    place, here = rows.here(), os.path.realpath(os.getcwd())
    _, anchors, refused = evidence.resolved(notes, Files(place.root if place else here), here, Git(place.root) if place else None)
    quality = evidence.quality(notes.title or "", notes, text, anchors)
    problems = [f"{row['locator']}: {row['reason']}" for row in refused]
    if not any(notes.items.values()):
        problems.append("there are no findings, questions, moves or evidence under a known heading")
    sections = [f"the section `{section.heading}` has no meaning here and is kept as it is" for section in notes.others if section.heading]
    return {"problems": problems, "quality": quality.rating, "score": quality.score, "warnings": [*quality.warnings, *sections]}
