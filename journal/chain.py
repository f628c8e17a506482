"""The hash chain over the events, which makes any later change of the log visible.

An event's hash covers the hash before it, the event's place, its other columns and a salted hash of its bytes. The salts of a segment follow
from its random seed, so that short secrets cannot be guessed from a hash once bytes and seed are scrubbed.
"""

from hashlib import sha256

GENESIS = b"\0" * 32


def content_hash(seed: bytes, index: int, data: bytes) -> bytes:
    """Return the salted hash of the *index*-th line of a segment."""
    salted = sha256(seed + index.to_bytes(4, "big"))
    salted.update(data)  # apart, since a line may be hundreds of megabytes
    return salted.digest()


def event_hash(before: bytes, place: tuple[int, int, int, int], told: tuple[str | None, ...], content: bytes) -> bytes:
    """Return the hash of an event.

    Args: place: source, generation, offset and length. told: type, occurred_at, recorded_at and damage.
    """
    return sha256(before + repr((place, told)).encode() + content).digest()
