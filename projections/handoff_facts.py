"""What else changed since a handoff was saved, in words of the work: tests, dependencies, configuration, schemas. Pure."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

DEPENDENCIES = re.compile(
    r"^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.(?:txt|in)|constraints[\w.-]*\.txt|Pipfile(?:\.lock)?|(?:poetry|uv|pdm|Cargo|composer|"
    r"flake|mix|pubspec|Gemfile)\.lock|package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|Cargo\.toml|go\.(?:mod|sum)|Gemfile|"
    r"composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[\w.-]+\.csproj|Package\.swift|Package\.resolved|mix\.exs|pubspec\.yaml|environment\.ya?ml)$"
)
SCHEMAS = re.compile(r"(?:\.(?:sql|proto|graphql|gql|avsc|xsd|prisma|thrift|capnp|fbs)|(?:^|/)(?:schema|openapi|swagger)[\w.-]*\.(?:json|ya?ml|py|rb|xml))$")
MIGRATIONS = re.compile(r"(?:^|/)(?:migrations?|alembic/versions|db/migrate)/")
CONFIGURATION = re.compile(
    r"(?:\.(?:ini|cfg|conf|toml|ya?ml|properties)|(?:^|/)(?:Dockerfile[\w.-]*|Makefile|CMakeLists\.txt|\.env[\w.-]*|\.editorconfig|tsconfig[\w.-]*\.json|"
    r"[\w.-]*config\.(?:js|ts|mjs|cjs|json)|\.[\w-]+rc(?:\.\w+)?))$"
)
KINDS = ("dependencies", "schemas", "configuration")
SHOWN = 5


def kind_of(path: str) -> str | None:
    """Return `dependencies`, `schemas` or `configuration` where a file is one of these by its name."""
    if DEPENDENCIES.match(posixpath.basename(path)):
        return "dependencies"
    if SCHEMAS.search(path) or MIGRATIONS.search(path):
        return "schemas"
    return "configuration" if CONFIGURATION.search(path) else None


def notes(then: Mapping[str, Any], now: Mapping[str, Any] | None, changed: Sequence[str]) -> list[str]:
    """Return what to say of tests then and now, and of changed files that decide over others."""
    found = [told] if now is not None and (told := _tests(then.get("tests"), now.get("tests"))) else []
    by_kind: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for path in changed:
        if kind := kind_of(path):
            by_kind[kind].append(path)
    for kind, paths in by_kind.items():
        if paths:
            rest = f" ({SHOWN} of {len(paths)})" if len(paths) > SHOWN else ""
            found.append(f"{kind} changed since: {', '.join(sorted(paths)[:SHOWN])}{rest}")
    return found


def _tests(then: Any, now: Any) -> str | None:
    if not isinstance(then, dict) or not isinstance(now, dict):
        return None
    before, after = then.get("failing", 0), now.get("failing", 0)
    if not before and not after:
        return None
    fixed = [name for name in then.get("names", ()) if name not in now.get("names", ())]
    new = [name for name in now.get("names", ()) if name not in then.get("names", ())]
    parts = [f"{_count(before)} when this was saved, {_count(after)} now, by {now.get('source')}"]
    parts += [f"new: {', '.join(new[:SHOWN])}"] if new else []
    parts += [f"no longer: {', '.join(fixed[:SHOWN])}"] if fixed else []
    return f"failing tests: {'; '.join(parts)}"


def _count(number: int) -> str:
    return "none" if not number else str(number)
