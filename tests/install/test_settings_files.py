"""Settings files of all kinds through install, a second install and uninstall: the bytes expected stand in fixtures/."""

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from laid_files import FIXTURES, PROGRAM, lay

from ingest.install import file, handlers, installation
from ingest.install.installation import Outcome
from ingest.install.jsonc import Node, parse
from ingest.install.ownership import is_ours
from journal.errors import SettingInvalid

NAMES = sorted(path.name for path in FIXTURES.iterdir())
REFUSED = [name for name in NAMES if (FIXTURES / name / "refused").exists()]
ACCEPTED = [name for name in NAMES if name not in REFUSED]
PRISTINE = [name for name in ACCEPTED if b"journal hook" not in ((FIXTURES / name / "before").read_bytes() if (FIXTURES / name / "before").exists() else b"")]
"""Those without anything of ours, of this or an older version."""


def expected(name: str, part: str) -> bytes | None:
    """Return the bytes of one part of a fixture, None where no file is expected."""
    path = FIXTURES / name / part
    return path.read_bytes() if path.exists() else None


def plain(node: Node | None) -> Any:
    """Return a tree as plain values, without handlers of ours and without what is empty then."""
    if node is None:
        return {}
    if node.kind == "object":
        found = {member.key: plain(member.node) for member in node.members}
        if any(isinstance(found.get(key), str) and is_ours(found[key]) for key in ("command", "bash")):
            return None
        if found.get("hooks") == []:
            return None  # a group that held ours alone
        return {key: value for key, value in found.items() if value not in ({}, [], None)}
    if node.kind == "array":
        return [value for each in node.members if (value := plain(each.node)) not in ({}, None)]
    return node.value


def test_there_are_enough_fixtures() -> None:
    """At least 40 settings files are tried, at least 12 of them refused."""
    assert len(NAMES) >= 80
    assert len(REFUSED) >= 12


@pytest.mark.parametrize("name", ["bom", "bom-crlf"])
def test_b14_bom_and_line_ends_stay(name: str, tmp_path: Path) -> None:
    """Settings that begin with a BOM are understood, never reset; written back, their first bytes and the ends of their lines are the same."""
    laid = lay(name, tmp_path)
    before = laid.content()
    assert before is not None
    for act in (laid.install, laid.uninstall):
        act()
        now = laid.content()
        assert now is not None
        assert now.startswith(b"\xef\xbb\xbf{")
        assert json.loads(now.decode("utf-8-sig"))["model"] == "opus"
        assert (b"\r\n" in now, len(re.findall(rb"(?<!\r)\n", now)) > 0) == ((True, False) if name == "bom-crlf" else (False, True))
    assert laid.content() == before


@pytest.mark.parametrize("name", ACCEPTED)
def test_e17_install_again_and_uninstall_leave_the_expected_bytes(name: str, tmp_path: Path) -> None:
    """After install and after uninstall the file holds what the fixture says, with its mode and symlinks; a second run of either touches nothing."""
    laid = lay(name, tmp_path)
    before, mode = laid.content(), stat.S_IMODE(os.stat(laid.real).st_mode) if laid.real.exists() else 0o600
    outcome = laid.install()
    installed = os.stat(laid.real)
    assert laid.content() == expected(name, "after")
    assert (outcome.config, stat.S_IMODE(installed.st_mode)) == (str(laid.config), mode)
    assert laid.config.is_symlink() == (laid.config != laid.real)
    assert backup_of(outcome) == (before if before != laid.content() else None)
    backups = sorted(tmp_path.glob("journal/backups/*/*"))
    again = laid.install("2026-11-30T10:30:00Z")
    now = os.stat(laid.real)
    assert (now.st_ino, now.st_mtime_ns, now.st_ctime_ns) == (installed.st_ino, installed.st_mtime_ns, installed.st_ctime_ns)
    assert sorted(tmp_path.glob("journal/backups/*/*")) == backups
    assert (again.is_changed, again.backup, again.written, again.kept) == (False, None, (), ())
    laid.uninstall()
    assert laid.content() == expected(name, "removed")
    assert not any(each.is_changed for each in laid.uninstall())
    assert laid.content() == expected(name, "removed")


def backup_of(outcome: Outcome) -> bytes | None:
    """Return the bytes of the backup, which is the user's alone."""
    if outcome.backup is None:
        return None
    assert [stat.S_IMODE(os.stat(path).st_mode) for path in (outcome.backup, os.path.dirname(outcome.backup))] == [0o600, 0o700]
    return Path(outcome.backup).read_bytes()


@pytest.mark.parametrize("name", PRISTINE)
def test_a_file_without_ours_comes_back_byte_for_byte(name: str, tmp_path: Path) -> None:
    """Where nothing of ours stood before, install and uninstall leave the very bytes, or no file again; also over an upgrade."""
    laid = lay(name, tmp_path)
    before = laid.content()
    installation.install(laid.facts, ["/opt/older/bin/python", "-I", "-m", "journal"], laid.request._replace(moment="2026-11-30T09:00:00Z"))
    laid.install()
    laid.uninstall()
    assert laid.content() == before


@pytest.mark.parametrize("name", ACCEPTED)
def test_e16_what_is_not_ours_keeps_its_meaning_without_the_backup(name: str) -> None:
    """When the file was changed since, or the backups are gone, uninstall takes out our handlers and leaves every other value and comment."""
    before, after = ((expected(name, part) or b"").decode() for part in ("before", "after"))
    removed = handlers.remove(after)
    assert plain(parse(after)) in (plain(parse(before)), {"version": 1, **plain(parse(before))})
    assert plain(parse(removed)) in (plain(parse(before)), {"version": 1, **plain(parse(before))})
    comment = re.compile(r"^[ \t]*//[^\n]*|/\*.*?\*/", re.MULTILINE | re.DOTALL)
    assert [each.strip() for each in comment.findall(removed)] == [each.strip() for each in comment.findall(before)]


@pytest.mark.parametrize("name", ACCEPTED)
def test_each_wanted_event_has_exactly_one_handler_of_ours(name: str) -> None:
    """After install every event of the host's facts has one handler of ours, with the very command and timeout, and no other event has one."""
    text = (expected(name, "after") or b"").decode()
    root = parse(text)
    assert root is not None
    wanted = handlers.wanted(installation.facts_of(json.loads((FIXTURES / name / "case.json").read_bytes())["host"]), PROGRAM)
    found = {each.event: {key: node.value for key in wanted[each.event] if (node := each.node.get(key))} for each in handlers.ours(text, root)}
    assert found == wanted
    assert len(list(handlers.ours(text, root))) == 5


@pytest.mark.parametrize("name", REFUSED)
def test_e18_a_refused_file_keeps_its_bytes_and_says_where(name: str, tmp_path: Path) -> None:
    """What does not parse or cannot be written is refused with the place and a hint, and nothing at all is written."""
    laid = lay(name, tmp_path)
    before = laid.content()
    paths = sorted(tmp_path.rglob("*"))
    with pytest.raises(SettingInvalid) as refused:
        laid.install()
    assert str(refused.value).replace(str(tmp_path), "") + "\n" == (expected(name, "refused") or b"").decode()
    assert refused.value.hint
    assert laid.content() == before
    assert sorted(tmp_path.rglob("*")) == paths


def test_a_huge_file_is_merged(tmp_path: Path) -> None:
    """A settings file of 700 KB with 5,000 foreign handlers gets five of ours and comes back."""
    laid = lay("absent", tmp_path)
    laid.config.parent.mkdir()
    groups = [{"matcher": "Bash", "hooks": [{"type": "command", "command": f"other-tool --number {number} " + "x" * 50}]} for number in range(5_000)]
    before = json.dumps({"hooks": {"PreToolUse": groups, "Stop": groups[:3]}, "model": "opus"}, indent=1).encode()
    assert len(before) > 700_000
    laid.config.write_bytes(before)
    laid.install()
    installed = json.loads(laid.content() or b"")
    assert installed["hooks"]["PreToolUse"] == groups
    assert installed["hooks"]["Stop"][:3] == groups[:3]
    assert len(installed["hooks"]["Stop"]) == 4
    laid.uninstall()
    assert laid.content() == before


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    """The host saved its settings between our reading and our writing: we refuse, its bytes stay, no temporary file is left."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"{}")
    existing = file.read(str(path))
    path.write_bytes(b'{"model": "opus"}')
    with pytest.raises(SettingInvalid, match="changed by another program"):
        file.write(existing, b'{"hooks": {}}', None)
    assert path.read_bytes() == b'{"model": "opus"}'
    assert os.listdir(tmp_path) == ["settings.json"]


def test_backups_of_one_moment_do_not_overwrite_each_other(tmp_path: Path) -> None:
    """Two copies under one name get two names."""
    path = tmp_path / "settings.json"
    path.write_bytes(b"1")
    first = file.keep(file.read(str(path)), str(tmp_path / "backups/settings.json.T"))
    path.write_bytes(b"2")
    second = file.keep(file.read(str(path)), str(tmp_path / "backups/settings.json.T"))
    assert [Path(each or "").name for each in (first, second)] == ["settings.json.T", "settings.json.T.2"]
    assert [Path(each or "").read_bytes() for each in (first, second)] == [b"1", b"2"]


def test_a_change_of_the_user_after_install_survives_uninstall(tmp_path: Path) -> None:
    """A key added after install stays; only our handlers go, and the file that we made is kept since it is the user's now."""
    laid = lay("absent", tmp_path)
    laid.install()
    settings = json.loads(laid.content() or b"")
    laid.config.write_text(json.dumps({"model": "opus", **settings}, indent=2))
    laid.uninstall()
    assert laid.content() == b'{\n  "model": "opus"\n}'


def test_folders_that_install_made_go_again(tmp_path: Path) -> None:
    """Of a user without any of the host's folders nothing is left after uninstall; a folder that stood there before stays."""
    laid = lay("absent", tmp_path)
    laid.install()
    laid.uninstall()
    assert list((tmp_path / "user").iterdir()) == []
    (tmp_path / "user/.claude/commands").mkdir(parents=True)
    laid.install()
    laid.uninstall()
    assert [str(path.relative_to(tmp_path / "user")) for path in (tmp_path / "user").rglob("*")] == [".claude", ".claude/commands"]
