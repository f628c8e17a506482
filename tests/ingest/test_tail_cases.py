"""What the tailer makes of files, read from the log alone."""

import os
import threading
from pathlib import Path

import zstandard
from tail_world import World

A, B, C = b'{"n":1}\n', b'{"n":2}\n', b'{"n":3}\n'


def test_a1_half_a_line_waits(world: World) -> None:
    """A half-written line is no event and no damage until its newline comes."""
    path = world.file("s.jsonl", A + b'{"n":')
    assert (world.ingest().events, world.lines()) == (1, [A])
    path.write_bytes(A + b'{"n":2}\n')
    report = world.ingest()
    assert (report.events, report.damaged, world.lines()) == (1, 0, [A, B])


def test_a2_a_newline_or_a_glued_record_later_is_an_event_of_its_own(world: World) -> None:
    """An unterminated object is taken at once; what follows on its line repeats none of its bytes."""
    path = world.file("s.jsonl", A + B[:-1])
    world.ingest()
    path.write_bytes(A + B[:-1] + C)
    world.ingest()
    assert world.lines() == [A, B[:-1], C]
    assert world.generation(1, 0) == path.read_bytes()


def test_a3_a_bad_line_is_passed(world: World) -> None:
    """A complete line that is no JSON is stored with its damage and stops nothing."""
    world.file("s.jsonl", b'{"n":1,"t\n' + B)
    assert (world.ingest().damaged, world.lines()) == (1, [b'{"n":1,"t\n', B])


def test_a6_equal_size_and_mtime_is_no_proof(world: World) -> None:
    """Other bytes behind equal size and mtime are a new generation; the old one still reads back."""
    path = world.file("s.jsonl", A + B)
    world.ingest()
    stat = path.stat()
    path.write_bytes(A + C)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    world.ingest()
    assert world.state() == [("s.jsonl", 1, "live")]
    assert (world.generation(1, 0), world.generation(1, 1)) == (A + B, A + C)


def test_a6_a_change_between_the_hashed_windows_is_found(world: World) -> None:
    """One byte at 30,000 of 200,000, far from head, tail and windows, is found when the size stays."""
    data = b"".join(b'{"n":%06d,"t":"%s"}\n' % (number, b"y" * 76) for number in range(100_000, 102_000))
    path = world.file("s.jsonl", data)
    world.ingest()
    path.write_bytes(data[:30_000] + data[30_000:].replace(b"y", b"z", 1))
    world.ingest()
    assert world.state() == [("s.jsonl", 1, "live")]
    assert (world.generation(1, 0), world.generation(1, 1)) == (data, path.read_bytes())


def test_a7_a_longer_replacement_is_a_new_generation(world: World) -> None:
    """A new inode whose prefix differs is read from its start."""
    path = world.file("s.jsonl", A)
    world.ingest()
    world.file("other.tmp", B + C).rename(path)
    world.ingest()
    assert (world.state(), world.lines()) == ([("s.jsonl", 1, "live")], [A, B, C])


def test_a7_a_new_inode_with_the_same_prefix_is_an_append(world: World) -> None:
    """A host that rewrites the whole file to append one line adds one event."""
    path = world.file("s.jsonl", A)
    world.ingest()
    world.file("other.tmp", A + B).rename(path)
    world.ingest()
    assert (world.state(), world.lines()) == ([("s.jsonl", 0, "live")], [A, B])


def test_a9_growth_under_an_old_mtime_is_read(world: World) -> None:
    """A file that grew and has its old mtime is read on."""
    path = world.file("s.jsonl", A)
    world.ingest()
    stat = path.stat()
    path.write_bytes(A + B)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    world.ingest()
    assert world.lines() == [A, B]


def test_a10_copytruncate_keeps_both_lives(world: World) -> None:
    """A file emptied, seen empty, and written again is a new generation; what it was reads back."""
    path = world.file("s.jsonl", A + B)
    world.ingest()
    path.write_bytes(b"")
    world.ingest()
    path.write_bytes(C)
    world.ingest()
    assert world.state() == [("s.jsonl", 1, "live")]
    assert (world.generation(1, 0), world.generation(1, 1)) == (A + B, C)


def test_a12_compression_is_no_event(world: World) -> None:
    """A `.zst` of two frames is the same source; lines that only it has are read on, and so is the plain file later."""
    path = world.file("s.jsonl", A + B)
    world.ingest()
    path.unlink()
    twin = world.file("s.jsonl.zst", zstandard.compress(A) + zstandard.compress(B))
    world.ingest()
    assert (world.state(), world.lines()) == ([("s.jsonl", 0, "compressed")], [A, B])
    twin.write_bytes(zstandard.compress(A + B + C))
    world.ingest()
    twin.unlink()
    path.write_bytes(A + B + C + A)
    world.ingest()
    assert (world.state(), world.lines()) == ([("s.jsonl", 0, "live")], [A, B, C, A])


def test_a12_a_cut_compressed_file_changes_nothing(world: World) -> None:
    """A `.zst` that is still being written is a warning: neither a truncation nor a deletion."""
    path = world.file("s.jsonl", A + B)
    world.ingest()
    path.unlink()
    packed = zstandard.compress(A + B)
    for length in range(len(packed)):
        world.file("s.jsonl.zst", packed[:length])
        assert len(world.ingest().warnings) == 1
        assert (world.state(), world.lines()) == ([("s.jsonl", 0, "live")], [A, B])


def test_a14_a_move_is_no_event(world: World) -> None:
    """A renamed file with the same id and the same bytes is the same source, also when it grew."""
    path = world.file("live/s.jsonl", A + B)
    world.ingest()
    path.unlink()
    world.file("archived/s.jsonl", A + B + C)
    world.ingest()
    assert [(row.source_id, os.path.relpath(row.path, world.root)) for row in world.sources()] == [(1, "archived/s.jsonl")]
    assert world.lines() == [A, B, C]


def test_a14_a_move_needs_the_whole_prefix(world: World) -> None:
    """A file elsewhere with the same id and the same first line only is another source."""
    path = world.file("live/s.jsonl", A + B)
    world.ingest()
    path.unlink()
    world.file("archived/s.jsonl", A + C)
    world.ingest()
    assert world.state() == [("s.jsonl", 0, "gone"), ("s.jsonl", 0, "live")]


def test_a14_a_copy_under_another_root_is_no_move(world: World) -> None:
    """Reading only a copied tree leaves the source of the original where it is."""
    path = world.file("s.jsonl", A)
    world.ingest()
    copy = world.folder / "copy"
    copy.mkdir()
    (copy / "s.jsonl").write_bytes(A)
    world.ingest(copy)
    assert [row.path for row in world.sources()] == [str(path), str(copy / "s.jsonl")]


def test_a16_a_deleted_file_is_gone_and_keeps_its_events(world: World) -> None:
    """Deletion is a state; the same file back again is live and adds nothing."""
    path = world.file("s.jsonl", A)
    world.ingest()
    path.unlink()
    world.ingest()
    assert (world.state(), world.lines()) == ([("s.jsonl", 0, "gone")], [A])
    path.write_bytes(A)
    world.ingest()
    assert (world.state(), world.lines()) == ([("s.jsonl", 0, "live")], [A])


def test_a16_an_absent_root_changes_nothing(world: World) -> None:
    """A root that is not there marks nothing as gone."""
    world.file("s.jsonl", A)
    world.ingest()
    world.root.rename(world.folder / "away")
    world.ingest()
    assert world.state() == [("s.jsonl", 0, "live")]


def test_a16_a_folder_that_cannot_be_entered_marks_nothing_as_gone(world: World) -> None:
    """A file that cannot be looked up (here: its folder is a loop of links) is not known to be gone."""
    world.file("folder/s.jsonl", A)
    world.ingest()
    (world.root / "folder").rename(world.folder / "away")
    (world.root / "folder").symlink_to("folder")
    world.ingest()
    assert world.state() == [("s.jsonl", 0, "live")]


def test_b1b_a_tail_of_nul_bytes_waits_and_is_read_when_overwritten(world: World) -> None:
    """NUL bytes without a newline stay pending; a record written over them is read once."""
    path = world.file("s.jsonl", A + b"\0" * 8)
    assert (world.ingest().events, world.lines()) == (1, [A])
    path.write_bytes(A + B)
    assert (world.ingest().damaged, world.lines()) == (0, [A, B])


def test_b1_a_damaged_first_line_hides_no_file(world: World) -> None:
    """Where only records tell the id, a damaged first line is passed in search of it."""
    world.file("x-1.jsonl", b"\0\0\n" + b'{"sid":"from-record"}\n')
    world.ingest()
    assert world.lines() == [b"\0\0\n", b'{"sid":"from-record"}\n']
    assert [row.native_id for row in world.sources()] == ["from-record"]


def test_a1_half_a_first_line_gives_no_id(world: World) -> None:
    """An object inside a half-written header is not taken for the header."""
    path = world.file("x-1.jsonl", b'{"sid":"right","git":{"branch":"main"}')
    world.ingest()
    assert world.sources() == []
    path.write_bytes(b'{"sid":"right","git":{"branch":"main"}}\n')
    world.ingest()
    assert [row.native_id for row in world.sources()] == ["right"]


def test_a_file_of_damage_only_is_said(world: World) -> None:
    """A file without one whole record and without an id in its name is a warning."""
    world.file("x-1.jsonl", b"\0\0\n")
    assert [warning.split(": ")[1] for warning in world.ingest().warnings] == ["no whole record yet, not read"]


def test_a_name_that_is_no_utf8_stops_nothing(world: World) -> None:
    """A file whose name SQLite cannot hold is a warning; the others are read."""
    (world.root / os.fsdecode(b"\xff.jsonl")).write_bytes(A)
    world.file("s.jsonl", B)
    assert (len(world.ingest().warnings), world.lines()) == (1, [B])


def test_a_named_pipe_is_not_opened(world: World) -> None:
    """A pipe with the name of a transcript is a warning instead of an endless wait."""
    os.mkfifo(world.root / "pipe.jsonl")
    world.file("s.jsonl", A)
    warnings: list[str] = []
    thread = threading.Thread(target=lambda: warnings.extend(world.ingest().warnings), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    assert (len(warnings), world.lines()) == (1, [A])


def test_j2_an_unchanged_tree_is_not_opened(world: World) -> None:
    """The second pass opens no file."""
    world.file("s.jsonl", A + b'{"pending')
    world.file("d.json", b"{}")
    assert [world.ingest().opened, world.ingest().opened] == [2, 0]


def test_a_line_too_deep_to_clean_stops_nothing(world: World) -> None:
    """A lone surrogate beside nesting that only one of the parsers can follow is damage, not the end of the pass."""
    deep = b'{"t":"\\ud800","v":' + b"[" * 600 + b"]" * 600 + b"}\n"
    world.file("s.jsonl", A + deep + B)
    assert (world.ingest().damaged, world.lines()) == (1, [A, deep, B])


def test_every_version_of_a_document_reads_back(world: World) -> None:
    """A document is one event for each content it had; a touched one adds none."""
    path = world.file("d.json", b'{"messages":[{"a":1},{"a":2}]}')
    world.ingest()
    path.touch()
    world.ingest()
    path.write_bytes(b'{"messages":[{"a":1},{"a":2},{"a":3}]}')
    world.ingest()
    assert world.lines() == [b'{"messages":[{"a":1},{"a":2}]}', b'{"messages":[{"a":1},{"a":2},{"a":3}]}']


def test_the_root_may_be_a_link(world: World, tmp_path: Path) -> None:
    """A root and a link to it are one root."""
    world.file("s.jsonl", A)
    link = tmp_path / "link"
    link.symlink_to(world.root)
    world.ingest(world.root, link)
    assert (len(world.sources()), world.lines()) == (1, [A])
