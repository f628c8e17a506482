"""The command that gives back what a compaction took from a session's context."""

import argparse
import contextlib
import time

from cli.render import print_json, print_text, say
from cli.restoring import newest
from cli.wiring import read_views, session_by_prefix
from journal.errors import SettingInvalid
from journal.home import Home
from journal.settings import Settings

COMPACTED = """SELECT occurred_at, pre_tokens, post_tokens FROM compactions WHERE session_id = ? AND is_copy = 0 AND occurred_at IS NOT NULL
ORDER BY occurred_at DESC LIMIT 1"""
SUMMARY = "SELECT text FROM messages WHERE session_id = ? AND kind = 'summary' AND is_copy = 0 ORDER BY occurred_at DESC, record_id DESC LIMIT 1"


def post_compact(settings: Settings, asked: argparse.Namespace) -> int:
    """Print paths, figures, failures, decisions and wishes of before the last compaction that the host's summary does not hold."""
    from journal import hook_settings
    from projections.restore import Limits, Present, compose
    from projections.restore_past import read_cards

    chosen, wrong = hook_settings.load(Home(settings.home).config)
    if wrong:
        raise SettingInvalid(wrong, hint="correct config.toml")
    with contextlib.closing(read_views(settings)) as views:
        session_id = session_by_prefix(views, asked.session or newest(views))
        at, pre_tokens, post_tokens = views.execute(COMPACTED, (session_id,)).fetchone() or (None, None, None)
        summary = views.execute(SUMMARY, (session_id,)).fetchone()
        project = views.execute("SELECT project FROM sessions WHERE session_id = ?", (session_id,)).fetchone()[0]
        cards = read_cards(views, at, session_id=session_id) if at else []
    known = " ".join(summary[0].split()) if summary else ""
    total = sum(len(card.parts) for card in cards)
    for card in cards:
        card.parts = [(kind, text) for kind, text in card.parts if " ".join(text.split()) not in known]
    left = sum(len(card.parts) for card in cards)
    restored = compose(None, cards, Present(time.time(), project or ""), Limits(asked.budget or chosen.restore_tokens, 1 << 40, float("inf"), float("inf")))
    if asked.json:
        print_json({"session_id": session_id, "compacted_at": at, "pre_tokens": pre_tokens, "post_tokens": post_tokens, "text": restored.text,
                    "tokens": restored.tokens if restored.text else 0, "parts_before": total, "in_summary": total - left})  # fmt: skip
        return 0
    if at is None:
        say(f"session {session_id} was never compacted; try: journal restore --session {session_id}")
        return 0
    if restored.text:
        print_text(restored.text)
    say(f"compacted at {at}; {total - left} of {total} parts stand in the host's summary; {restored.tokens if restored.text else 0} tokens")
    return 0
