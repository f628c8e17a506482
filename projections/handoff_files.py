"""A handoff as a bundle directory of eight files, Markdown and JSON, which other tools read, and back. Pure.

The metadata file holds under `journal` all that the journal knows, so that nothing is lost on the way; a bundle of another
tool is kept file by file, unknown keys and all, and written again as it was.
"""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from projections.anchors import LABEL
from projections.drift import Anchor
from projections.handoff_report import SECTIONS

MARKDOWN, SUMMARY, ENTITIES, RELATIONS, EVIDENCE, QUESTIONS, RESUME, METADATA = (
    "CONTEXT_HANDOFF.md", "summary.json", "entities.json", "relations.json", "evidence_index.json", "open_questions.json", "resume_prompt.txt",
    "bundle_metadata.json",
)  # fmt: skip
FILES = (MARKDOWN, SUMMARY, ENTITIES, RELATIONS, EVIDENCE, QUESTIONS, RESUME, METADATA)
HEADLINE = "# Context Handoff:"
VERSION = "0.3.0"
"""The version of the layout, as other tools count it."""
JSON_TYPES = {SUMMARY: dict, ENTITIES: list, RELATIONS: list, EVIDENCE: list, QUESTIONS: list, METADATA: dict}
REQUIRED = {
    SUMMARY: ("title", "findings", "recommendations"), EVIDENCE: ("path",), QUESTIONS: ("question",), ENTITIES: ("name",), RELATIONS: ("source", "target"),
    METADATA: ("bundle_version",),
}  # fmt: skip
KINDS = {"file": "file", "range": "file", "symbol": "file", "folder": "other", "commit": "commit", "url": "url", "command": "other"}
LONGEST_SLUG = 60
ID = re.compile(r"h[0-9a-f]{6,40}")
Statement = dict[str, Any]


def slug_of(title: str) -> str:
    """Return a title as a part of a file's name: letters of any script, digits and `-`."""
    return re.sub(r"[\W_]+", "-", title.casefold()).strip("-")[:LONGEST_SLUG].rstrip("-") or "untitled-handoff"


def folder_of(bundle: Mapping[str, Any]) -> str:
    """Return the name of a bundle's directory: time, title, and the end of the id, by which equal ones differ."""
    stamp = re.sub(r"[-:]", "", (bundle["saved_at"] or "")[:19]).replace("T", "-") or "undated"
    return f"{stamp}-{slug_of(bundle['title'])}-{bundle['handoff_id'][-6:]}"


def of(bundle: Mapping[str, Any], statements: Sequence[Statement], anchors: Sequence[Anchor], project: str, hashes: Mapping[str, str]) -> dict[str, str]:
    """Return the eight files of a handoff; *project* is what the project is called.

    *hashes* are those of the bytes of files that are named whole, as far as they are as they were: other tools hash these.
    """
    rows = {kind: [one for one in statements if one["kind"] == kind] for kind in {one["kind"] for one in statements}}
    places = {one["id"]: [anchor for anchor in anchors if anchor.statement_id == one["id"] and not anchor.reason] for one in statements}
    named = [place_of(anchor) for anchor in anchors if not anchor.reason]
    findings = [{"id": one["id"], "title": one["text"][:80], "summary": one["text"], "importance": "medium",
                 "confidence": "high" if places[one["id"]] else "low", "evidence": [place_of(anchor) for anchor in places[one["id"]]],
                 "implications": one["details"]} for one in rows.get("finding", [])]  # fmt: skip
    advice = [{"priority": number, "action": one["text"], "why": " ".join(one["details"]), "depends_on": [], "risk": ""}
              for number, one in enumerate(rows.get("recommendation", []) + rows.get("move", []), 1)]  # fmt: skip
    questions = [{"id": one["id"], "question": one["text"], "why_it_matters": " ".join(one["details"]), "how_to_verify": "", "blocking": False}
                 for one in rows.get("question", [])]  # fmt: skip
    names = [one["text"] for one in rows.get("entity", [])] or [project]
    entities = [{"id": f"project_{slug_of(name)}", "type": "project", "name": name, "description": "", "status": "active", "confidence": "medium",
                 "tags": ["project"], "sources": named[:3], "notes": ""} for name in names]  # fmt: skip
    relations = [{"source": "", "target": "", "relation": one["text"], "confidence": "medium", "why": " ".join(one["details"]), "sources": []}
                 for one in rows.get("relation", [])]  # fmt: skip
    summary = {
        "title": bundle["title"], "date": (bundle["saved_at"] or "")[:10], "generated_by": {"tool": "journal", "model": ""}, "purpose": bundle["purpose"],
        "scope": {"repos": [project], "folders": [], "inputs": [one["text"] for one in rows.get("scope", [])], "excluded": [],
                  "artifacts_created": list(FILES)},
        "executive_summary": bundle["purpose"], "findings": findings, "recommendations": advice,
        "resume_instructions": {"read_first": [MARKDOWN, SUMMARY, EVIDENCE], "assumptions_to_continue_from": [one["text"] for one in rows.get("finding", [])],
                                "must_reverify": [one["text"] for one in rows.get("question", [])]},
    }  # fmt: skip
    kept = {name: value for name, value in bundle.items() if name not in ("older", "newer", "state")}
    own = {**kept, "statements": list(statements), "anchors": [_full(anchor) for anchor in anchors]}
    moment = moment_of(bundle["saved_at"])
    metadata = {
        "bundle_version": VERSION, "generated_at": moment, "generator": {"tool": "journal", "mode": "export"}, "source_inputs": [], "notes": "",
        "token_estimates": {}, "bundle_id": folder_of(bundle), "title": bundle["title"], "slug": slug_of(bundle["title"]), "repo_root": bundle["root"] or "",
        "branch": bundle["branch"] or "", "head_commit": bundle["head"] or "", "tags": bundle["tags"], "stored_at": moment, "journal": own,
    }  # fmt: skip
    evidence = [_index(one, hashes) for one in anchors]
    texts = {SUMMARY: summary, ENTITIES: entities, RELATIONS: relations, EVIDENCE: evidence, QUESTIONS: questions, METADATA: metadata}
    markdown = _markdown(bundle, statements)
    resume = f"Go on with: {bundle['title']}. Read {MARKDOWN} first; check each place before you rely on it.\n{bundle['purpose']}".strip() + "\n"
    return {MARKDOWN: markdown, RESUME: resume} | {name: json.dumps(value, ensure_ascii=False, indent=2) + "\n" for name, value in texts.items()}


def _markdown(bundle: Mapping[str, Any], statements: Sequence[Statement]) -> str:
    lines = [f"{HEADLINE} {bundle['title']}", ""]
    lines += ["## Purpose", "", bundle["purpose"], ""] if bundle["purpose"] else []
    for kind, heading in SECTIONS.items():
        found = [one for one in statements if one["kind"] == kind]
        if kind == "section":
            for one in found:
                lines += [f"## {one['text'] or 'Notes'}", "", *one["details"], ""]
        elif found:
            lines += [f"## {heading}", "", *(line for one in found for line in (f"- {one['text']}", *(f"  - {detail}" for detail in one["details"]))), ""]
    return "\n".join(lines)


def moment_of(saved_at: str | None) -> str:
    """Return a time as other tools write it: with an offset in digits, which every parser of ISO 8601 takes."""
    return re.sub(r"Z$", "+00:00", saved_at or "")


def place_of(anchor: Anchor) -> str:
    """Return where an anchor stands in the one form that other tools read, `path`, `path:line` or `path:start-end`; words where they have none."""
    if anchor.reason:
        return anchor.locator
    if anchor.kind == "folder":
        return f"folder {anchor.path}"
    if anchor.kind == "commit":
        return f"commit {anchor.path}"
    if anchor.kind not in ("file", "range", "symbol"):
        return anchor.locator
    return f"{anchor.path}:{anchor.start}" + (f"-{anchor.end}" if anchor.end != anchor.start else "") if anchor.start else anchor.path


def _index(anchor: Anchor, hashes: Mapping[str, str]) -> dict[str, Any]:
    told = anchor.shape.hash if anchor.shape else None
    return {"path": place_of(anchor), "role": "evidence", "used_for": [anchor.statement_id], "confidence": "low" if anchor.reason else "high",
            "review_status": "referenced" if anchor.reason else "reviewed", "anchor_kind": KINDS.get(anchor.kind, "other"),
            "resolved_path": anchor.path if KINDS.get(anchor.kind) == "file" and not anchor.reason else None, "line_start": anchor.start,
            "line_end": anchor.end, "content_hash": hashes.get(anchor.path) if anchor.kind == "file" else told,
            "verified_at_save": not anchor.reason}  # fmt: skip


def _full(anchor: Anchor) -> dict[str, Any]:
    told = anchor._asdict()
    told["statement"] = told.pop("statement_id")
    return told | {"shape": list(anchor.shape) if anchor.shape else None}


class Foreign(NamedTuple):
    """A bundle of another tool, as far as the journal understands it."""

    title: str
    purpose: str
    saved_at: str | None
    root: str | None
    branch: str | None
    head: str | None
    tags: list[str]
    statements: list[Statement]
    places: list[dict[str, Any]]
    """Entries of the evidence index, each with `statement`, the id of the statement that names it."""
    is_shared: bool
    """Whether every finding had the same places, because its writer gives each finding the first two of all."""


def is_ours(files: Mapping[str, str]) -> dict[str, Any] | None:
    """Return what the journal itself wrote of a handoff, where it did and it has the form that was written."""
    own = _json(files, METADATA, {}).get("journal")
    if not isinstance(own, dict) or not isinstance(own.get("handoff_id"), str) or not ID.fullmatch(own["handoff_id"]):
        return None
    rows, anchors = own.get("statements"), own.get("anchors")
    has_rows = isinstance(rows, list) and all(isinstance(one, dict) and _has_texts(one) for one in rows)
    return own if has_rows and isinstance(anchors, list) and all(isinstance(one, dict) for one in anchors) else None


def _has_texts(one: Mapping[str, Any]) -> bool:
    return all(isinstance(one.get(name), str) for name in ("id", "kind", "text")) and _texts(one.get("details")) == one.get("details")


def identity_of(files: Mapping[str, str]) -> str:
    """Return the id of a bundle of another tool: the same files have the same."""
    told = json.dumps(sorted(files.items()), ensure_ascii=False)
    return "h" + sha256(told.encode("utf-8", "replace")).hexdigest()[:12]


def read(files: Mapping[str, str], name: str) -> Foreign:
    """Return what a bundle says that another tool wrote into a directory called *name*."""
    summary, metadata = _json(files, SUMMARY, {}), _json(files, METADATA, {})
    statements: list[Statement] = []
    owners: dict[str, list[str]] = {}

    def add(letter: str, kind: str, text: str, details: list[str], origin: str) -> str:
        number = sum(one["id"].startswith(letter) for one in statements) + 1
        statements.append({"id": f"{letter}{number}", "kind": kind, "text": text, "details": [one for one in details if one], "origin": origin})
        return f"{letter}{number}"

    scope = summary.get("scope")
    for key, values in scope.items() if isinstance(scope, dict) else ():
        if key != "artifacts_created" and _texts(values):
            add("C", "scope", f"{key}: {', '.join(_texts(values))}", [], SUMMARY)
    indexed = [_first(one, "path") for one in _objects(_json(files, EVIDENCE, []))]
    is_shared = _is_shared([_texts(one.get("evidence")) for one in _objects(summary.get("findings"))], indexed)
    for one in _objects(summary.get("findings")):
        evidence = [place for place in indexed if _names(one, place)] if is_shared else _texts(one.get("evidence"))
        told = add("F", "finding", _first(one, "summary", "title", "text"), [*_texts(one.get("implications")), *evidence], SUMMARY)
        for locator in evidence:
            owners.setdefault(locator, []).append(told)
    for one in _objects(summary.get("recommendations")):
        add("R", "recommendation", _first(one, "action", "text", "title"), [_first(one, "why"), _first(one, "risk")], SUMMARY)
    for one in _objects(_json(files, QUESTIONS, [])):
        blocks = ["It blocks what comes next."] if one.get("blocking") is True else []
        add("Q", "question", _first(one, "question", "text"), [*blocks, _first(one, "why_it_matters"), _first(one, "how_to_verify")], QUESTIONS)
    for one in _objects(_json(files, ENTITIES, [])):
        add("N", "entity", _first(one, "name", "id"), [_first(one, "description")], ENTITIES)
    for one in _objects(_json(files, RELATIONS, [])):
        add("L", "relation", " ".join(filter(None, (_first(one, "source"), _first(one, "relation"), _first(one, "target")))), [_first(one, "why")], RELATIONS)
    places = []
    for one in _objects(_json(files, EVIDENCE, [])):
        locator = _first(one, "path")
        role = add("E", "evidence", f"{locator}" + (f" ({_first(one, 'role')})" if _first(one, "role") else ""), _texts(one.get("used_for")), EVIDENCE)
        places += [{**one, "statement": told} for told in (*owners.pop(locator, ()), role)]
    places += [{"path": locator, "statement": told} for locator, names in owners.items() for told in names]
    title = _first(metadata, "title") or _first(summary, "title") or files.get(MARKDOWN, "").partition("\n")[0].removeprefix(HEADLINE).strip(" #") or name
    return Foreign(
        title, _first(summary, "purpose", "executive_summary"), _first(metadata, "stored_at", "generated_at") or None,
        _first(metadata, "repo_root") or None, _first(metadata, "branch") or None, _first(metadata, "head_commit") or None, _texts(metadata.get("tags")),
        [one for one in statements if one["text"]], places, is_shared,
    )  # fmt: skip


def _is_shared(evidence: Sequence[list[str]], indexed: Sequence[str]) -> bool:
    """Tell whether several findings have one and the same evidence, the beginning of the index: it says of none what it stands on."""
    return len(evidence) > 1 and bool(evidence[0]) and all(one == evidence[0] for one in evidence) and evidence[0] == indexed[: len(evidence[0])]


def _names(finding: Mapping[str, Any], place: str) -> bool:
    """Tell whether the words of a finding name the file of a place, by its path or its name."""
    head = re.split(r"\s+(?:—|--|–)\s+|\s+\(|;\s", LABEL.sub("", place))[0]
    path = re.sub(r":\d+(-\d+)?$", "", head.strip().strip("`")).replace("\\", "/")
    words = f"{_first(finding, 'title')} {_first(finding, 'summary', 'text')}"
    return any(len(name) > 2 and re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w/-])", words) for name in (path, path.rpartition("/")[2]))


def problems(files: Mapping[str, str]) -> list[str]:
    """Return what is wrong with a bundle directory: files that miss or do not read, and keys that miss in them."""
    found = [f"{name} is missing" for name in FILES if name not in files]
    if MARKDOWN in files and not files[MARKDOWN].startswith(HEADLINE):
        found.append(f"{MARKDOWN} does not begin with `{HEADLINE}`")
    if RESUME in files and not files[RESUME].strip():
        found.append(f"{RESUME} is empty")
    for name, wanted in JSON_TYPES.items():
        if name not in files:
            continue
        try:
            value = json.loads(files[name])
        except (ValueError, RecursionError) as error:
            found.append(f"{name} is no JSON: {error}")
            continue
        if not isinstance(value, wanted):
            found.append(f"{name} holds no {'object' if wanted is dict else 'list'}")
            continue
        for at, one in enumerate([value] if isinstance(value, dict) else value):
            where = name if isinstance(value, dict) else f"{name}[{at}]"
            if not isinstance(one, dict):
                found.append(f"{where} is no object")
                continue
            found += [f"{where} has no {key}" for key in REQUIRED.get(name, ()) if key not in one]
    return found


def _json(files: Mapping[str, str], name: str, otherwise: Any) -> Any:
    try:
        value = _sound(json.loads(files.get(name, "")))
    except (ValueError, RecursionError):
        return otherwise
    return value if isinstance(value, type(otherwise)) else otherwise


def _sound(value: Any) -> Any:
    """Return *value* without NUL and half characters, which no path and no database takes."""
    if isinstance(value, str):
        return value.replace("\0", "").encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_sound(one) for one in value]
    return {_sound(key): _sound(one) for key, one in value.items()} if isinstance(value, dict) else value


def _first(value: Mapping[str, Any], *names: str) -> str:
    return next((value[name] for name in names if isinstance(value.get(name), str) and value[name]), "")


def _texts(value: Any) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
