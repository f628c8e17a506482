"""Bundles as Context Handoff Bundle writes them, and its reading of evidence: by the rules of its writer and reader, not with its code.

The rules are those of the versions 0.1.0 to 0.3.0 of the format (github.com/ucsandman/context-handoff-bundle, MIT): JSON in ASCII, indented by
two, without a last line end; every finding gets the first two anchors of all; a place is resolved from the root or from the folder of the
call, and its index keeps the path in small letters; a range is hashed by the lines of `str.splitlines`, a whole file by its bytes.
"""

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

NAMES = ("CONTEXT_HANDOFF.md", "summary.json", "entities.json", "relations.json", "evidence_index.json", "open_questions.json", "resume_prompt.txt",
         "bundle_metadata.json")  # fmt: skip


class Notes(NamedTuple):
    """What its notes hold, by its six headings."""

    findings: Sequence[str]
    evidence: Sequence[str]
    scope: str = ""
    projects: Sequence[str] = ()
    opportunities: Sequence[str] = ()
    questions: Sequence[str] = ()


class Place(NamedTuple):
    """An anchor as its parser sees it."""

    kind: str
    path: str = ""
    start: int | None = None
    end: int | None = None


def place(raw: str) -> Place:
    """Return kind, path and lines of an anchor: `file`, `url`, `commit` or `other`."""
    cuts = [raw.find(sign) for sign in (" — ", " -- ", " – ") if sign in raw]
    text = raw[: min(cuts)].strip() if cuts else raw.strip()
    if text.startswith(("http://", "https://")):
        return Place("url", text.split(" ")[0])
    if found := re.match(r"(?:git\s+)?commit\s+([0-9a-fA-F]{6,40})\b", text):
        return Place("commit", found[1])
    text = re.sub(r"^[A-Za-z][A-Za-z ]*:\s+", "", text.split(" (")[0].split("; ")[0].strip())
    if re.fullmatch(r"[0-9a-f]{7,40}", text):
        return Place("commit", text)
    found = re.search(r":(\d+)(?:-(\d+))?$", text)
    start, end = (int(found[1]), int(found[2]) if found[2] else None) if found else (None, None)
    text = text[: found.start()] if found else text
    is_file = " " not in text and ("/" in text or "\\" in text or re.fullmatch(r"[\w.\-]+\.[A-Za-z0-9]+", text))
    return Place("file", text, start, end) if is_file else Place("other")


def resolved(path: str, root: Path, here: Path) -> Path | None:
    """Return the file that a path names, absolute, or from the root, or from the folder of the call."""
    return next((one.resolve() for one in (root / path, here / path) if one.is_file()), None)


def content_hash(path: Path, start: int | None, end: int | None) -> str:
    """Return the hash of a whole file, or of the lines of a range, of which one beyond the end is empty."""
    if start is None:
        return sha256(path.read_bytes()).hexdigest()[:16]
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return sha256("\n".join(lines[start - 1 : end or start]).encode()).hexdigest()[:16]


def status(entry: dict[str, Any], root: Path) -> str:
    """Return what its load says of an entry of the evidence index that has a hash."""
    seen = place(entry["path"])
    if seen.kind in ("url", "other"):
        return "n/a"
    if seen.kind == "commit":
        return "commit"
    path = resolved(seen.path, root, root)
    if path is None:
        return "gone"
    return "verified" if content_hash(path, entry["line_start"], entry["line_end"]) == entry["content_hash"] else "changed"


def write(store: Path, title: str, notes: Notes, root: Path, *, here: Path | None = None, version: str = "0.3.0", mode: str = "save",
          branch: str = "main", head: str = "", tags: Sequence[str] = (), at: str = "2026-11-30T10:15:00.250000+00:00") -> Path:  # fmt: skip
    """Write a bundle and, as `save` does, its entry in the index of the store; `generate` writes a folder of its own and no entry."""
    slug = re.sub(r"[^a-zA-Z0-9]+", "-", title.lower()).strip("-") or "untitled-handoff"
    name = f"{at[:10]}-{slug}" if mode == "generate" else f"{at[:10].replace('-', '')}-{at[11:19].replace(':', '')}-{slug}"
    path = store / name
    path.mkdir(parents=True)
    evidence = [{"path": one, "role": "reference", "used_for": ["session finding support"], "confidence": "medium", "review_status": "referenced",
                 **(_verified(one, root, here or root) if version == "0.3.0" else {})} for one in notes.evidence]  # fmt: skip
    first_two = list(notes.evidence[:2])
    entities = [{"id": f"project_{one.lower()}", "type": "project", "name": one, "description": f"Named in the input: {one}", "status": "active",
                 "confidence": "medium", "tags": ["project"], "sources": list(notes.evidence[:3]), "notes": ""} for one in notes.projects]  # fmt: skip
    relations = [{"source": entities[0]["id"], "target": entities[1]["id"], "relation": "candidate_for_integration_with", "confidence": "medium",
                  "why": notes.findings[0], "sources": first_two}] if len(entities) > 1 else []  # fmt: skip
    questions = [{"id": f"Q{number}", "question": one, "why_it_matters": "Not settled in the session.", "how_to_verify": "Read the sources.",
                  "blocking": False} for number, one in enumerate(notes.questions, 1)]  # fmt: skip
    summary = {
        "title": title, "date": at[:10], "generated_by": {"tool": "context-handoff-bundle", "model": f"{mode}-command"},
        "purpose": notes.scope or f"Handoff from {root.name}",
        "scope": {"repos": list(notes.projects), "folders": [str(here or root)], "inputs": [str(root / "notes.md")], "excluded": [],
                  "artifacts_created": list(NAMES)},
        "executive_summary": f"Context handoff for {title}.",
        "findings": [{"id": f"F{number}", "title": one[:80], "summary": one, "importance": "medium", "confidence": "medium", "evidence": first_two,
                      "implications": []} for number, one in enumerate(notes.findings, 1)],
        "recommendations": [{"priority": number, "action": one, "why": "Of the session.", "depends_on": [], "risk": "Not checked."}
                            for number, one in enumerate(notes.opportunities, 1)],
        "resume_instructions": {"read_first": list(NAMES[:2]), "assumptions_to_continue_from": list(notes.findings),
                                "must_reverify": list(notes.questions)},
    }  # fmt: skip
    metadata: dict[str, Any] = {"bundle_version": version, "generated_at": at, "generator": {"tool": "context-handoff-bundle", "mode": mode},
                                "source_inputs": [str(root / "notes.md")], "notes": f"Saved handoff: {title}"}  # fmt: skip
    if version != "0.1.0" and mode == "save":
        metadata["token_estimates"] = {"bundle_tokens": 3696, "source_reread_tokens": 23043, "source_files_counted": 6, "heuristic": "chars/4"}
    if mode == "save":
        metadata |= {"bundle_id": name, "title": title, "slug": slug, "repo_root": str(root), "branch": branch, "head_commit": head, "tags": list(tags),
                     "stored_at": at}  # fmt: skip
        _enter(store, {"id": name, "title": title, "slug": slug, "created_at": at, "updated_at": at, "path": str(path), "repo_root": str(root),
                       "branch": branch, "head_commit": head, "dirty": "true", "tags": list(tags),
                       "quality": {"overall": "strong", "score": 0.84, "dimensions": {"evidence_coverage": 0.6}, "warnings": [], "pass": True},
                       "storage_mode": "repo-local" if ".context-handoffs" in str(store) else "global"})  # fmt: skip
    values = {"summary.json": summary, "entities.json": entities, "relations.json": relations, "evidence_index.json": evidence,
              "open_questions.json": questions, "bundle_metadata.json": metadata}  # fmt: skip
    for file, value in values.items():
        (path / file).write_text(json.dumps(value, indent=2), encoding="utf-8")
    found = "\n".join(f"### Finding {number}\n- What is true: {one}\n" for number, one in enumerate(notes.findings, 1))
    text = f"# Context Handoff: {title}\n\n## 1. Scope\n- Date: {at[:10]}\n\n## 3. Core Findings\n{found}\n"
    (path / "CONTEXT_HANDOFF.md").write_text(text, encoding="utf-8")
    (path / "resume_prompt.txt").write_text(f"# Resume: {title}\n\nRead CONTEXT_HANDOFF.md first.\n", encoding="utf-8")
    return path


def _verified(raw: str, root: Path, here: Path) -> dict[str, Any]:
    seen = place(raw)
    path = resolved(seen.path, root, here) if seen.kind == "file" else None
    told = str(path.relative_to(root)).lower() if path and path.is_relative_to(root) else str(path) if path else None
    return {"anchor_kind": seen.kind, "resolved_path": told, "line_start": seen.start, "line_end": seen.end,
            "content_hash": content_hash(path, seen.start, seen.end) if path else None, "verified_at_save": path is not None}  # fmt: skip


def _enter(store: Path, entry: dict[str, Any]) -> None:
    index = store / "index.json"
    entries = json.loads(index.read_text()) if index.exists() else []
    index.write_text(json.dumps(sorted([*entries, entry], key=lambda one: str(one["created_at"]), reverse=True), indent=2), encoding="utf-8")
