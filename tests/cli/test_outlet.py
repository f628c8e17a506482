"""The exit: every kind of secret is taken out, and what only looks like one stays."""

import subprocess
import sys

import pytest

from cli.outlet import clean, cleaned, suspects

B = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SECRETS = {
    "aws-access-key": "ABIA" + "J7Q2M5X8K1N4P6R9",
    "aws-secret": 'aws_secret_key = "' + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzLEKEY01" + '"',
    "artifactory": "AKC" + "p5ueVsMMLq8",
    "azure": "AccountKey=" + (B * 4)[:86] + "==",
    "cloudant": "https://user:" + HEX + "@acct.cloudant.com",
    "discord": "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ." + B,
    "github": "ghp_" + (B * 2)[:36],
    "gitlab-deploy": "gldt-" + B[:20],
    "gitlab-runner": "GR1348941" + B[:20],
    "gitlab-agent": "glagent-" + B * 2,
    "ibm-cos": 'cos_secret_access_key: "' + HEX[:48] + '"',
    "ibm-iam": "ibm_cloud_api_key = " + (B * 2)[:44],
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "mailchimp": HEX[:32] + "-us12",
    "npm": "//registry.example.com/:_authToken=" + "3b1f8a52-7c4d-4e6f-9a0b-1c2d3e4f5a6b",
    "openai": "sk-" + B[:20] + "T3BlbkFJ" + B[:20],
    "private-key": "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIr\n-----END EC PRIVATE KEY-----",
    "putty": "PuTTY-User-Key-File-2",
    "pypi": "pypi-AgEIcHlwaS5vcmc" + B * 3,
    "sendgrid": "SG." + B[:22] + "." + (B * 2)[:43],
    "slack-hook": "https://hooks.slack.com/services/T0AB1CD2E/B0FG3HI4J/" + B[:24],
    "softlayer": "https://api.softlayer.com/soap/v3.1/" + HEX,
    "square": "sq0csp-" + (B * 2)[:43],
    "stripe": "sk_live_" + B[:24],
    "telegram": "bot 123456789:" + (B * 2)[:35],
    "twilio": "SK" + HEX[:32],
    "keyword": 'db_pass = "Tr0ub4dor&3x"',
    "keyword-json": '{\\"client_key\\": \\"' + B + '\\"}',
    "keyword-compared": 'if "Tr0ub4dor-3x" == user_pwd:',
    "bare-token": "DEPLOY_TOKEN=" + B + "Zz7",
}
VALUES = {
    "aws-secret": "wJalrXUtnFEMI", "cloudant": HEX, "ibm-cos": HEX[:48], "ibm-iam": B, "npm": "3b1f8a52", "softlayer": HEX, "telegram": B,
    "keyword": "Tr0ub4dor", "keyword-json": B, "keyword-compared": "Tr0ub4dor", "bare-token": B, "azure": B, "slack-hook": B[:24], "private-key": "MHcCAQ",
}  # fmt: skip
HARMLESS = (
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    '"key": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"',
    f"sha256 token: {HEX}",
    'session_token_id = "013aefe6-d54f-448f-9d79-ed4f588b0f43"',
    '"input_tokens": 12345678, "output_tokens": 42',
    "client_key = os.environ['DB_CLIENT_KEY_2']",
    'db_pass = "${DB_PASS_1}"',
    "def check_password(password: str, token: str | None = None) -> bool:",
    "the keyboard has a token passage, a secretary and a password policy",
    "monkeys pass through tokenAccountingBasis local_full_context every day",
    "APACHELICENSE2 and APDEX123456789",
    '"tool_use_id": "toolu_01A09q90qw90lq917835lq9"',
    "visit https://example.com:8080/path?key=value and en-us1",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
)


@pytest.mark.parametrize("kind", SECRETS)
@pytest.mark.parametrize("around", ["{}", "before {} behind", "export X='{}'\nnext line", "字" * 50 + "İ {} 終"])
def test_a_secret_does_not_leave(kind: str, around: str) -> None:
    """A secret of each kind that the rules and the detector know is replaced by its kind, wherever it stands."""
    text = around.replace("{}", SECRETS[kind])
    left = clean(text)
    assert VALUES.get(kind, SECRETS[kind]) not in left
    assert "[redacted:" in left


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    """Commit ids, digests, UUIDs, token counts, references, code and images leave unchanged."""
    assert clean(text) == text


def test_a_clean_text_leaves_as_it_is_when_cleaned_again() -> None:
    """Cleaning is idempotent: a mark is no secret."""
    once = clean("\n".join(SECRETS.values()))
    assert clean(once) == once


def test_texts_in_structures_are_cleaned() -> None:
    """Lists, tuples and dictionaries are walked, keys too; numbers and None stay."""
    stripe = SECRETS["stripe"]
    assert cleaned({stripe: [stripe, (1, None, stripe)]}) == {
        "[redacted:stripe-access-key]": ["[redacted:stripe-access-key]", (1, None, "[redacted:stripe-access-key]")]
    }


def test_plain_text_does_not_load_the_detector() -> None:
    """Text without a suspect place costs no import of detect-secrets."""
    program = (
        "import sys; from cli.outlet import clean; clean('fix add() in calc.py, input_tokens: 5, see https://example.com/a:b');"
        " print('detect_secrets' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_long_line_is_looked_at_in_windows() -> None:
    """A megabyte in one line with one secret in it gives one suspect place, and only that is replaced."""
    filler = "lorem ipsum dolor " * 30_000
    text = filler + SECRETS["square"] + filler
    assert len(list(suspects(text))) == 1
    assert clean(text) == filler + "[redacted:square-oauth-secret]" + filler
