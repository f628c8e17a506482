"""Fast rules that take secrets out of text before it enters any view; only the log keeps the original.

One pass for all signs together tells which rules are worth their regular expression. A commit id (40 hex digits) is no secret.
Every repeat before the last part of a pattern has an upper bound, so that no text makes a rule take quadratic time.
Raise RULES_VERSION when a rule changes: the views rebuild.
"""

from functools import cache

from ahocorasick_rs import AhoCorasick

RULES_VERSION = 6
TYPE_CHECKING = False  # type checkers read the name, and `typing` takes as long to import as the interpreter to start
if TYPE_CHECKING:
    import re


class Rule:
    """One kind of secret."""

    __slots__ = ("_source", "kind", "replacement", "signs")

    def __init__(self, kind: str, signs: frozenset[str], source: str, replacement: str) -> None:
        self.kind = kind
        self.signs = signs
        """Lower-case substrings of which one stands in every text that the rule can match."""
        self._source = source
        self.replacement = replacement

    @property
    def pattern(self) -> "re.Pattern[str]":
        """The rule's regular expression, compiled when a sign was seen: a hook that sees none does not even import `re`."""
        return _compiled(self._source)


@cache
def _compiled(source: str) -> "re.Pattern[str]":
    import re  # noqa: PLC0415  a hook that sees no sign is spared it

    return re.compile(source)


def _rule(kind: str, signs: str | tuple[str, ...], pattern: str, replacement: str | None = None) -> Rule:
    return Rule(kind, frozenset((signs,) if isinstance(signs, str) else signs), pattern, replacement or f"[redacted:{kind}]")


BEFORE = ("(?<![A-Za-z0-9]{})", r"(?<=\\[bfnrt]{})", r"(?<=\\u[0-9A-Fa-f]{{4}}{})", r"(?<=[0-9\[]m{})")
"""Where a secret may begin: not in the middle of a word of ASCII, but behind an escape of JSON (a new line's n) or a terminal's colour."""


def _begins(prefix: str) -> str:
    """Return the pattern of a secret's first characters; what stands before is looked at after them, so that finding them stays fast."""
    return f"{prefix}(?:{'|'.join(BEFORE).format(*4 * [prefix])})"


RULES = (
    _rule("private-key", "private key", r"(?s)-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"),
    _rule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
          r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,}"),
    _rule("anthropic-key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    _rule("openai-key", "sk-", _begins("sk-") + r"(?:(?:proj|svcacct)-|(?=[A-Za-z_-]{0,60}[0-9]))[A-Za-z0-9_-]{20,}"),
    _rule("aws-key", ("akia", "asia"), r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Z])"),
    _rule("google-key", "aiza", r"AIza[0-9A-Za-z_-]{35}"),
    _rule("slack-token", "xox", _begins("xox[abeoprs]-") + r"[A-Za-z0-9-]{10,}"),
    _rule("gitlab-token", "glpat-", r"glpat-[A-Za-z0-9_-]{20,}"),
    _rule("npm-token", "npm_", _begins("npm_") + r"[A-Za-z0-9]{36}"),
    _rule("huggingface-token", "hf_", _begins("hf_") + r"[A-Za-z0-9]{30,}"),
    _rule("google-token", ("ya29.", "gocspx-"), _begins(r"ya29\.") + r"[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"),
    _rule("azure-key", ("accountkey=", "sharedaccesskey="),
          r"(?i)\b((?:Account|SharedAccess)Key=)(?!\[redacted)[A-Za-z0-9+/]{20,}={0,2}", r"\1[redacted:azure-key]"),
    _rule("digitalocean-token", "dop_v1_", _begins("dop_v1_") + r"[a-f0-9]{40,}"),
    _rule("vault-token", "hvs.", _begins(r"hvs\.") + r"[A-Za-z0-9_-]{24,}"),
    _rule("stripe-access-key", ("sk_live_", "rk_live_", "whsec_"), _begins("[sr]k_live_") + r"[A-Za-z0-9]{16,}|" + _begins("whsec_") + r"[A-Za-z0-9]{16,}"),
    _rule("pypi-token", "pypi-ageic", r"pypi-AgEIc[A-Za-z0-9_-]{40,}"),
    _rule("docker-token", "dckr_pat_", _begins("dckr_pat_") + r"[A-Za-z0-9_-]{20,}"),
    _rule("groq-key", "gsk_", _begins("gsk_") + r"[A-Za-z0-9]{40,}"),
    _rule("xai-key", "xai-", _begins("xai-") + r"[A-Za-z0-9]{40,}"),
    _rule("jwt", "eyj", _begins("eyJ") + r"[A-Za-z0-9_-]{10,1024}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]*"),
    _rule("url-credentials", "://",
          r"(?<![A-Za-z])([A-Za-z][A-Za-z0-9+.-]{1,20}://)[^\s/:@\"'<>]{0,256}:[^\s/\"'<>]{1,256}@", r"\1[redacted:url-credentials]@"),
    _rule("authorization", "digest ", r"(?i)(authorization[\\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\\"']{0,8}digest\s{1,8})(?!\[redacted)[^\r\n]{8,2048}",
          r"\1[redacted:authorization]"),
    _rule("authorization", "authorization",
          r"(?i)(authorization[\\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\\"']{0,8}(?:bearer|basic|token)\s{1,8})(?!\[redacted)[A-Za-z0-9._~+/=-]+",
          r"\1[redacted:authorization]"),
    _rule("authorization", ("authorization", "bearer "),
          r"(?i)(authorization[\\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\\"']{0,8}(?:(?:bearer|basic|token)\s{1,8})?|"
          + _begins("bearer") + r"\s{1,8})(?!\[redacted)[A-Za-z0-9._~+/=-]{8,}",
          r"\1[redacted:authorization]"),
    _rule("assignment", ("token=", "token:", "token\":", "token\\\":", "token ="),
          r"(TOKEN[\\\"']{0,8}\s{0,4}[:=]\s{0,4}[\\\"']{0,8})(?!\[redacted)(?=[^\s\\\"']{0,64}[0-9])[^\s\\\"',;(){}\[\]]{8,}",
          r"\1[redacted:assignment]"),
    _rule("assignment", "passw",  # a line of an .env file, where a short value is one too
          r"(PASSW(?:OR)?D=)(?!\[redacted|None\b|True\b|False\b)[^\s\\\"',;(){}\[\]$<>|&%*]{4,}", r"\1[redacted:assignment]"),
    *(_rule("assignment", gate,
          rf"(?i)({words}[A-Z0-9_]{{0,40}}[\\\"']{{0,8}}\s{{0,8}}[:=]\s{{0,8}})(?!\[redacted)"
          r"(?:(\\{0,4}[\"'])(?!\[redacted)[^\\\"'\r\n]{4,256}(?=\\{0,4}[\"'])|(?!\[redacted)[^\s\\\"',;(){}\[\]]{8,})",
          r"\1\2[redacted:assignment]")
      for gate, words in (
          ("passw", "(?:password|passwd)"), ("secret", "secret"), ("api", "api[_-]?key"),
          ("_token", "(?:access|auth|aws_session)_token"),
          (("access-token", "auth-token", "private-token", "refresh_token", "accesstoken", "authtoken", "refreshtoken"),
           "(?:access-?|auth-?|private-|refresh_?)token"))),
)  # fmt: skip


_SIGNS = AhoCorasick(sorted(frozenset().union(*(rule.signs for rule in RULES))))


def redact(text: str) -> str:
    """Return *text* with every secret that a rule knows replaced by its kind."""
    lowered = text.lower()
    try:
        found = _SIGNS.find_matches_as_strings(lowered, overlapping=True)
    except UnicodeEncodeError:  # half a character stands in it
        found = _SIGNS.find_matches_as_strings(lowered.encode("utf-8", "replace").decode(), overlapping=True)
    if found:
        signs = set(found)
        for rule in RULES:
            if not signs.isdisjoint(rule.signs):
                text = rule.pattern.sub(rule.replacement, text)
    return text
