"""The full secret detector: detect-secrets' rules, run around the places that the exit suspects.

Source of the rules: the plugins of detect-secrets (Apache-2.0), used as a library; docs/adr/0020 says which are left out
and what was measured. Its line scanner is not used: a transcript has lines of megabytes, and some of its patterns take
quadratic time on them, so each pattern sees a window around a suspect place.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from detect_secrets.filters import heuristic
from detect_secrets.plugins import keyword
from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.azure_storage_key import AzureStorageKeyDetector
from detect_secrets.plugins.base import RegexBasedDetector
from detect_secrets.plugins.cloudant import CloudantDetector
from detect_secrets.plugins.discord import DiscordBotTokenDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.high_entropy_strings import Base64HighEntropyString
from detect_secrets.plugins.ibm_cloud_iam import IbmCloudIamDetector
from detect_secrets.plugins.ibm_cos_hmac import IbmCosHmacDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.npm import NpmDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.private_key import PrivateKeyDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.softlayer import SoftlayerDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from cli.outlet import Found

BEFORE, AFTER = 160, 1200
"""How much of the text around a suspect place a pattern sees, in characters."""
LONGEST_VALUE = 256
WHOLE: tuple[type[RegexBasedDetector], ...] = (
    AzureStorageKeyDetector, DiscordBotTokenDetector, GitHubTokenDetector, GitLabTokenDetector, MailchimpDetector, OpenAIDetector,
    PypiTokenDetector, SendGridDetector, SlackDetector, SquareOAuthDetector, StripeDetector, TelegramBotTokenDetector, TwilioKeyDetector,
    PrivateKeyDetector,
)  # fmt: skip
"""Plugins whose whole match is the secret."""
GROUPED: tuple[type[RegexBasedDetector], ...] = (
    AWSKeyDetector, CloudantDetector, IbmCloudIamDetector, IbmCosHmacDetector, NpmDetector, SoftlayerDetector,
)  # fmt: skip
"""Plugins whose first group, where one matched, is the secret."""
VALUE = re.compile(
    r"(?i)(?:key|pwd|pass(?:wd|word)?|secret|token|credentials?)\w{0,40}[\\\"'\]]{0,8}\s{0,8}(?:[:=]{1,2}>?)\s{0,8}\\{0,4}[\"'`]?([A-Za-z0-9_+/=.-]{20,256})(?![A-Za-z0-9_+/=.-])"
)
ENTROPY = Base64HighEntropyString()
ENTROPY_LIMIT = 4.0
"""In bits a character: below the plugin's own 4.5, since the value stands behind a word for a secret."""
ARTIFACTORY = re.compile(r"(?<![A-Za-z0-9])AKC[a-zA-Z0-9]{10,}")
"""As the plugin's first pattern, in any quotes; its second takes words in capitals (APACHE...) for a password."""
COMMIT_OR_DIGEST = re.compile(r"(?:[0-9a-f]{7,64}|sha\d+-\S+)\Z")
HARMLESS: tuple[Callable[[str], bool], ...] = (
    heuristic.is_potential_uuid, heuristic.is_sequential_string, heuristic.is_templated_secret, heuristic.is_prefixed_with_dollar_sign,
    heuristic.is_not_alphanumeric_string,
)  # fmt: skip
"""Filters of detect-secrets that need nothing but the value."""


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


PATTERNS: tuple[tuple[str, "re.Pattern[str]", bool], ...] = tuple(
    (_slug(str(plugin.secret_type)), pattern, plugin in GROUPED) for plugin in (*WHOLE, *GROUPED) for pattern in plugin().denylist
)


def find(text: str, places: Sequence[int]) -> list[Found]:
    """Return the secrets around *places* (sorted), in order, none overlapping another."""
    found: list[Found] = []
    for start, end in _windows(text, places):
        found += [Found(kind, start + first, start + last) for kind, first, last in _in_window(text[start:end])]
    chosen: list[Found] = []
    for one in sorted(found, key=lambda f: (f.start, -f.end)):
        if not chosen or one.start >= chosen[-1].end:
            chosen.append(one)
    return chosen


def _windows(text: str, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text to look at; places near each other share one, up to a limit."""
    start = end = -1
    for place in places:
        if start >= 0 and place + AFTER <= end + AFTER and place - start < 4 * AFTER:
            end = max(end, min(len(text), place + AFTER))
            continue
        if start >= 0:
            yield start, end
        start, end = max(0, place - BEFORE), min(len(text), place + AFTER)
    if start >= 0:
        yield start, end


def _in_window(window: str) -> Iterator[Found]:
    for kind, pattern, grouped in PATTERNS:
        for match in pattern.finditer(window):
            yield Found(kind, *(match.span(1) if grouped and match.re.groups and match[1] else match.span()))
    for match in ARTIFACTORY.finditer(window):
        yield Found("artifactory-credentials", *match.span())
    yield from _assigned(window)


def _assigned(window: str) -> Iterator[Found]:
    """Yield the values of words such as `db_pass`, by the keyword plugin line by line and by entropy where no quotes stand."""
    start = 0
    for line in window.splitlines(keepends=True):
        for pattern, group in keyword.QUOTES_REQUIRED_DENYLIST_REGEX_TO_GROUP.items():
            for match in pattern.finditer(line):
                value = match[group]
                if 6 <= len(value) <= LONGEST_VALUE and " " not in value and _is_secret(value):
                    yield Found("secret-keyword", start + match.start(group), start + match.end(group))
        start += len(line)
    for match in VALUE.finditer(window):
        value = match[1]
        if _is_secret(value) and _is_random(value):
            yield Found("high-entropy-value", *match.span(1))


def _is_secret(value: str) -> bool:
    """Tell a value from a reference, a template, an id or a mark of our own."""
    if "[redacted" in value or value.startswith(("process.env", "os.environ", "env.")) or (value.isidentifier() and value.isalpha()):
        return False
    return not COMMIT_OR_DIGEST.match(value) and not any(harmless(value) for harmless in HARMLESS)


def _is_random(value: str) -> bool:
    """Tell by the plugin's own measure whether a value's characters are as good as random."""
    return any(map(str.isdigit, value)) and ENTROPY.calculate_shannon_entropy(value) > ENTROPY_LIMIT
