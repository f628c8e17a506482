"""Fast rules that take secrets out of text before it enters any view; only the log keeps the original.

One pass for all signs together tells which rules are worth their regular expression. A commit id (40 hex digits) is no secret.
Every repeat before the last part of a pattern has an upper bound, so that no text makes a rule take quadratic time.
Raise RULES_VERSION when a rule changes: the views rebuild.
"""

from functools import cache

from ahocorasick_rs import AhoCorasick

RULES_VERSION = 5
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


RULES = (
    _rule("private-key", "private key", r"(?s)-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"),
    _rule("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
          r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    _rule("anthropic-key", "sk-ant-", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    _rule("openai-key", "sk-", r"\bsk-(?:(?:proj|svcacct)-|(?=[A-Za-z_-]{0,60}[0-9]))[A-Za-z0-9_-]{20,}"),
    _rule("aws-key", ("akia", "asia"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    _rule("google-key", "aiza", r"\bAIza[0-9A-Za-z_-]{35}"),
    _rule("slack-token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    _rule("gitlab-token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{20,}"),
    _rule("npm-token", "npm_", r"\bnpm_[A-Za-z0-9]{36}"),
    _rule("huggingface-token", "hf_", r"\bhf_[A-Za-z0-9]{30,}"),
    _rule("google-token", ("ya29.", "gocspx-"), r"\b(?:ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,})"),
    _rule("azure-key", ("accountkey=", "sharedaccesskey="),
          r"(?i)\b((?:Account|SharedAccess)Key=)(?!\[redacted)[A-Za-z0-9+/]{20,}={0,2}", r"\1[redacted:azure-key]"),
    _rule("digitalocean-token", "dop_v1_", r"\bdop_v1_[a-f0-9]{40,}"),
    _rule("vault-token", "hvs.", r"\bhvs\.[A-Za-z0-9_-]{24,}"),
    _rule("stripe-access-key", ("sk_live_", "rk_live_", "whsec_"), r"\b(?:[sr]k_live_|whsec_)[A-Za-z0-9]{16,}"),
    _rule("pypi-token", "pypi-ageic", r"\bpypi-AgEIc[A-Za-z0-9_-]{40,}"),
    _rule("docker-token", "dckr_pat_", r"\bdckr_pat_[A-Za-z0-9_-]{20,}"),
    _rule("groq-key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,}"),
    _rule("xai-key", "xai-", r"\bxai-[A-Za-z0-9]{40,}"),
    _rule("jwt", "eyj", r"\beyJ[A-Za-z0-9_-]{10,1024}\.eyJ[A-Za-z0-9_-]{10,8192}\.[A-Za-z0-9_-]*"),
    _rule("url-credentials", "://", r"\b([A-Za-z][A-Za-z0-9+.-]{1,20}://)[^\s/:@\"'<>]{0,256}:[^\s/\"'<>]{1,256}@", r"\1[redacted:url-credentials]@"),
    _rule("authorization", "digest ", r"(?i)(\bauthorization[\\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\\"']{0,8}digest\s{1,8})(?!\[redacted)[^\r\n]{8,2048}",
          r"\1[redacted:authorization]"),
    _rule("authorization", "authorization",
          r"(?i)(\bauthorization[\\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\\"']{0,8}(?:bearer|basic|token)\s{1,8})(?!\[redacted)[A-Za-z0-9._~+/=-]+",
          r"\1[redacted:authorization]"),
    _rule("authorization", ("authorization", "bearer "),
          r"(?i)(\bauthorization[\\\"']{0,8}\s{0,8}[:=]\s{0,8}[\\\"']{0,8}(?:(?:bearer|basic|token)\s{1,8})?|\bbearer\s{1,8})(?!\[redacted)[A-Za-z0-9._~+/=-]{8,}",
          r"\1[redacted:authorization]"),
    _rule("assignment", "token=",
          r"(?<![A-Za-z0-9])([A-Z0-9_]{0,40}TOKEN=[\\\"']{0,8})(?=[^\s\\\"']{0,64}[0-9])[^\s\\\"',;(){}\[\]]{8,}", r"\1[redacted:assignment]"),
    _rule("assignment", "passw",  # a line of an .env file, where a short value is one too
          r"(?<![A-Za-z0-9])([A-Z0-9_]{0,40}PASSW(?:OR)?D=)(?!\[redacted|None\b|True\b|False\b)[^\s\\\"',;(){}\[\]$<>|&%*]{4,}", r"\1[redacted:assignment]"),
    *(_rule("assignment", gate,
          rf"(?i)({words}[A-Z0-9_]{{0,40}}[\\\"']{{0,8}}\s{{0,8}}[:=]\s{{0,8}})(?!\[redacted)"
          r"(?:(\\{0,4}[\"'])(?!\[redacted)[^\\\"'\r\n]{4,256}(?=\\{0,4}[\"'])|(?!\[redacted)[^\s\\\"',;(){}\[\]]{8,})",
          r"\1\2[redacted:assignment]")
      for gate, words in (("passw", "(?:password|passwd)"), ("secret", "secret"), ("api", "api[_-]?key"), ("_token", "(?:access|auth|aws_session)_token"))),
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
