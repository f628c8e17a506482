"""The hash chain over the events, which makes any later change of the log visible.

An event's hash covers the hash before it, the event's place, its other columns and a salted hash of its bytes. The salts of a segment follow
from its random seed, so that short secrets cannot be guessed from a hash once bytes and seed are scrubbed.
"""

from collections.abc import Iterable
from hashlib import sha256

GENESIS = b"\0" * 32


def content_hash(seed: bytes, index: int, data: bytes) -> bytes:
    """Return the salted hash of the *index*-th line of a segment."""
    return content_hash_of(seed, index, (data,))


def content_hash_of(seed: bytes, index: int, pieces: Iterable[bytes]) -> bytes:
    """Return the salted hash of a line that comes in pieces: it may have hundreds of megabytes."""
    salted = sha256(seed + index.to_bytes(4, "big"))
    for piece in pieces:
        salted.update(piece)
    return salted.digest()


def event_hash(before: bytes, place: tuple[int, int, int, int], told: tuple[str | None, ...], content: bytes) -> bytes:
    """Return the hash of an event.

    Args: place: source, generation, offset and length. told: type, occurred_at, recorded_at and damage.
    """
    return sha256(before + repr((place, told)).encode() + content).digest()
