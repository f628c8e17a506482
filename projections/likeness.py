"""How much two texts speak of the same: words by their stems, identifiers whole, each with the weight of what it tells. Pure.

Hooks use it, so that nothing is imported here, no regular expressions either. What the numbers are good for is measured
by tests/bench/recall.py.
"""

LOOKED_AT_CHARS = 4000
MOST_TERMS = 64
"""So many terms of a text count, the weightiest first: a long prompt is no reason to compare all day."""
QUERY_TERMS = 24
IDENTIFIER = 2.5
WORD = 1.0
GENERIC = 0.35
THRESHOLD = 0.25
"""From this likeness on a learning is told without being asked for; see `is_telling` for what it must share besides."""
SAME = 0.85
SUBJECT = 0.45
"""From this likeness on two texts speak of the same thing, so that they may contradict each other."""
INNER = "_./-:#@"
_SEPARATORS = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) not in INNER}
_PARTS = {ord(sign): " " for sign in INNER}
STOP = frozenset(
    """a about above after again all already also am an and any are as at be been before being below between both but by came can cannot come could
    did do does doing don done down during each either else even ever every few for from further get gets getting give go goes going gone got had
    has have having he her here him his how however i if in into is it its itself just keep know let like ll look made make makes making many may me
    might more most much must my need needs neither never no nor not now of off ok on once one only or other our out over own please put re really
    s same say says see seem seems shall she should show since so some still such sure t take tell than that the their them then there these they
    thing things think this those though through thus to together too toward try under until up upon us very want wants was way we well were what when
    where whether which while who whom whose why will with within without would yes yet you your always instead rather""".split()
)
_GENERIC = frozenset(
    """add address agent api app apply archive argument array available back bad base begin best better big block body boolean break bug build call case cause
    change check class clean clear client close code column command commit common complete config connect content context correct count create
    current data date debug default define delete dependency different directory doc document edit empty end ensure entry error event everything example
    exist expect explain fail failing failure feature field file final find first fix follow folder format found full function general handle
    happen help hold host http id implement import improve include info input inside install instance issue item job key kind last late latest leave
    left length level library line link list load local log long low main match mean message method minute missing mode model module move name new
    next note number object old open option order output package page parameter parse part pass path pattern place point possible present problem process
    project property provide pull push question quick read ready real reason record refactor remove rename repo repository request require
    response result return review right root rule run save script second section send server service session set setting setup side simple
    single size small something source stand start state statement step stop string style support system table test text time tool top
    turn type update use user using value variable version view wait work write wrong""".split()
)
NEGATIONS = frozenset("never not no dont cannot cant mustnt shouldnt avoid forbid forbidden without isnt doesnt wont stop disable disabled off".split())
"""As they stand without apostrophes."""
PAIRS = (("always", "never"), ("enable", "disable"), ("enabled", "disabled"), ("before", "after"), ("use", "avoid"), ("allow", "forbid"), ("sync", "async"),
         ("true", "false"), ("on", "off"), ("tabs", "spaces"), ("merge", "rebase"), ("yes", "no"), ("with", "without"), ("above", "below"))  # fmt: skip

VALUE_FOLLOWS = frozenset(
    """is are was be to at of than least most below above under over max maximum min minimum only exactly about every after
    within up by""".split()
)
UNITS = frozenset("ms s sec second seconds min minute minutes h hour hours day days week weeks kb mb gb kib mib gib bytes percent px tokens times retries "
                  "rows items lines requests connections workers threads".split())  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, identifiers and paths whole; a character of a script without spaces is a word."""
    text = text[:LOOKED_AT_CHARS]
    if not text.isascii():
        text = "".join(_apart(letter) for letter in text)
    return [word for found in text.translate(_SEPARATORS).split() if (word := found.strip("-./:#@"))]


def _apart(letter: str) -> str:
    if letter.isascii() or (letter.isalnum() and not is_unspaced(letter)):
        return letter
    return f" {letter} " if letter.isalnum() else " "


def is_unspaced(letter: str) -> bool:
    """Tell whether a letter is of a script that has no spaces between words; the same ones as in the full text."""
    return ("\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u4dbf" or "\u4e00" <= letter <= "\u9fff" or "\uac00" <= letter <= "\ud7af"
            or "\uf900" <= letter <= "\ufaff" or "\U00020000" <= letter <= "\U0002ffff")  # fmt: skip


def terms_of(text: str) -> dict[str, float]:
    """Return the terms of a text with their weights, the weightiest first, at most 64."""
    found: dict[str, float] = {}
    before = ""
    for word in words_of(text):
        lowered = word.lower()
        if len(word) == 1 and is_unspaced(word):
            if before:
                found[before + word] = WORD  # one character says as little as a letter, two are a word
            before = word
            continue
        before = ""
        if is_identifier(word):
            found[lowered] = IDENTIFIER
            for part in lowered.translate(_PARTS).split():
                _add(found, part)
        else:
            for part in lowered.split("-"):
                _add(found, part)
    return dict(sorted(found.items(), key=lambda pair: -pair[1])[:MOST_TERMS])


def _add(found: dict[str, float], word: str) -> None:
    if word in STOP or (len(word) < 2 and word.isascii()):
        return
    root = stem(word)
    weight = GENERIC if word in _GENERIC or root in _ROOTS else WORD
    found[root] = max(weight, found.get(root, 0.0))


def is_identifier(word: str) -> bool:
    """Tell whether a word is no word of a language: a path, a name of code, an error code."""
    if not word.isascii() or len(word) < 3:
        return False
    if word.isdigit():
        return len(word) > 2
    if any(sign in word for sign in "_./:#@"):
        return True
    has_digit = any(letter.isdigit() for letter in word)
    return has_digit or (not word.isupper() and not word[1:].islower() and word[1:].lower() != word[1:]) or (word.isupper() and len(word) > 5)


def stem(word: str) -> str:
    """Return a word without the endings of English that change nothing of what it is about."""
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("ing") and len(word) > 5:
        word = _single(word[:-3])
    elif word.endswith("ed") and len(word) > 4:
        word = _single(word[:-2])
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def _single(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls" else word


_ROOTS = frozenset(stem(word) for word in _GENERIC)


def match_of(terms: dict[str, float]) -> str:
    """Return the FTS5 query for any of the weightiest terms; empty where there is none worth a look."""
    chosen = [term for term, weight in terms.items() if weight > GENERIC][:QUERY_TERMS] or list(terms)[:QUERY_TERMS]
    spaced = (" ".join(term) if len(term) == 2 and is_unspaced(term[0]) else term for term in chosen)
    return " OR ".join(f'"{term}"' for term in spaced if '"' not in term and "\0" not in term)


def likeness(asked: dict[str, float], told: dict[str, float]) -> float:
    """Return from 0 to 1 how much of *told* is in *asked* and the other way, by weight."""
    shared = sum(weight for term, weight in told.items() if term in asked)
    if not shared:
        return 0.0
    return float(shared / (sum(told.values()) * sum(asked.values())) ** 0.5)


def is_telling(asked: dict[str, float], told: dict[str, float]) -> bool:
    """Tell whether two texts share more than words that stand everywhere: an identifier, or two words."""
    shared = [weight for term, weight in told.items() if term in asked]
    return IDENTIFIER in shared or sum(weight >= WORD for weight in shared) >= 2


def is_same(one: str, other: str) -> bool:
    """Tell whether two texts are the same but for spaces, case and signs."""
    return [word.lower() for word in words_of(one)] == [word.lower() for word in words_of(other)]


def contradict(one: str, other: str, known: dict[str, list[str]] | None = None) -> str | None:
    """Return why two texts about the same thing cannot both hold, or None: one denies, they choose opposite words, or other numbers.

    Who compares many texts with many others gives a dict, in which their words are kept.
    """
    known = {} if known is None else known
    first, second = (known.get(text) or known.setdefault(text, _signs_of(text)) for text in (one, other))
    why = _opposition(set(first), set(second)) or _other_values(first, second)
    return why if why and likeness(terms_of(one), terms_of(other)) >= SUBJECT else None


def _signs_of(text: str) -> list[str]:
    return [word.lower() for word in words_of(text.replace("’", "'").replace("'", ""))]


def _opposition(left: set[str], right: set[str]) -> str | None:
    only_left, only_right = left - right, right - left
    for word, opposite in PAIRS:
        if word in only_left and opposite in only_right:
            return f"one says {word}, the other {opposite}"
        if opposite in only_left and word in only_right:
            return f"one says {opposite}, the other {word}"
    return "one denies what the other says" if NEGATIONS.isdisjoint(left) != NEGATIONS.isdisjoint(right) else None


def _other_values(first: list[str], second: list[str]) -> str | None:
    """Return which values differ: numbers that something is said to be, or that have a unit, not those that are names (`shard 3`)."""
    values, others = ({word for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False)
                       if word[:1].isdigit() and (before in VALUE_FOLLOWS or after in UNITS or not word.isdigit())} for words in (first, second))  # fmt: skip
    return f"one says {min(values)}, the other {min(others)}" if values and others and not values & others else None
