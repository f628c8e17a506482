"""What the retrieval benchmark is made of: problems with what a later person asks about them in other words, and what only looks alike."""

from pathlib import Path
from typing import NamedTuple


class Problem(NamedTuple):
    """One problem, solved in one session."""

    prompt: str
    answer: str
    error: str
    identifier: str
    path: str
    first: str
    """A paraphrase, without the words of the session."""
    second: str
    mixed: str
    """A question with one word of the session and others that are not in it."""


TABLE = Path(__file__).parent / "retrieval_problems.txt"
PROBLEMS = tuple(Problem(*(part.strip() for part in line.split("|"))) for line in TABLE.read_text().splitlines())
"""Four dozen problems; none shares its words with another one's paraphrases on purpose."""

FOREIGN = (
    (2, "キャッシュの有効期限が効かない"), (0, "Der Build bleibt nach einem Absturz hängen"), (17, "les prix perdent des centimes"),
    (14, "Umlaute im CSV Export sind kaputt"), (44, "las fotos salen giradas en el móvil"), (6, "日付が一日ずれる"),
)  # fmt: skip
"""Questions in another language than the session's: problem, question."""
OWN_LANGUAGE = (
    ("請求書の合計が一円ずれる問題を直してください", "端数処理を最大剰余法に変えました。合計は必ず一致します。", "端数処理"),
    ("登录后页面一直转圈，请修复", "会话令牌过期后没有刷新，现在会自动重新获取。", "会话令牌"),
    ("로그인 버튼이 두 번 눌려서 주문이 중복됩니다", "버튼을 누른 뒤 비활성화하고 멱등 키를 추가했습니다.", "멱등 키"),
    ("Die Rechnung wird doppelt verschickt, wenn der Dienst neu startet", "Ein Ausgangsbuch mit Schlüssel verhindert den zweiten Versand.", "Ausgangsbuch"),
)
"""Sessions in another language, with a substring that is looked for."""
NEGATIVES = (
    "how to train a labrador puppy", "recipe for sourdough bread with rye", "best hiking trails in patagonia", "who won the chess world championship",
    "tune a violin by ear", "history of the ottoman empire", "watering schedule for tomato plants", "rules of cricket explained",
    "lyrics of a lullaby", "treatment of a sprained ankle", "cheap flights to lisbon in may", "paint a wooden fence",
    "what do whales eat", "origami crane folding", "poem about autumn leaves", "mortgage interest deduction",
)  # fmt: skip
"""What no session is about."""
NONSENSE = (
    "qwzx plort fnord", "asdf jkl qwer", "lorem ipsum dolor sit amet", "zzzz", "xylophone marmalade gargoyle", "the the the", "hjkl hjkl hjkl",
    "blorptastic wibble wobble", "what is the meaning of life", "who is the prime minister of denmark", "how tall is mount everest", "favourite pizza toppings",
    "capital of mongolia", "why is the sky blue", "translate good morning to swahili", "best guitar strings", "when do tulips bloom", "aaaa bbbb cccc",
)  # fmt: skip
"""No questions at all, and some that no floor was chosen by."""
CHORES = (
    "Rename the variable {w} in {p}", "Update the dependency {w} to its newest version", "Write a docstring for {i}", "Format {p}",
    "Add a type annotation to {i}", "Move {i} into a module of its own", "Delete the unused import of {w}", "Add a comment above {i} that says what it does",
)  # fmt: skip
"""Small sessions around the same files and names: they share identifiers and paths with the problems, and solve none."""
WORDS = ("requests", "alpha", "helper", "pytest", "beta", "numpy", "temp", "lodash", "value", "click", "react", "result")
