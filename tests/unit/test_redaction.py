"""Redaction takes secrets of known shapes out of text and leaves everything else alone."""

import json
import time

import pytest

from journal.redaction import redact
from projections.redacted import redacted_json

SECRETS = {
    "github-token": "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "anthropic-key": "sk-ant-" + "api03-abcdefghijklmnop",
    "openai-key": "sk-" + "proj-abcdefghijklmnopqrstuv",
    "aws-key": "AKIA" + "IOSFODNN7EXAMPLE",
    "google-key": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "slack-token": "xoxb-" + "123456789012-abcdef",
    "google-token": "ya29." + "a0AfH6SMBx_1234567890-abcd",
    "digitalocean-token": "dop_v1_" + "0123456789abcdef" * 4,
    "vault-token": "hvs." + "CAESIJ1234567890abcdefghijkl",
    "stripe-access-key": "sk_" + "live_51Habcdefghijklmnop",
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "docker-token": "dckr_" + "pat_a1B2c3D4e5F6g7H8i9J0k1L",
    "groq-key": "gsk_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8a1B2c3D4",
    "xai-key": "xai-" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8a1B2c3D4",
    "npm-token": "npm_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
}


@pytest.mark.parametrize(("kind", "secret"), SECRETS.items())
def test_tokens_are_replaced_by_their_kind(kind: str, secret: str) -> None:
    """A token inside a sentence leaves only the name of its kind."""
    assert redact(f"use {secret} here") == f"use [redacted:{kind}] here"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://u:p4ssw0rd@h/db", "postgres://[redacted:url-credentials]@h/db"),
        ("Authorization: Bearer abcdef123456", "Authorization: Bearer [redacted:authorization]"),
        ('{"password": "hunter2hunter2"}', '{"password": "[redacted:assignment]"}'),
        ("AccountKey=a1B2c3D4e5F6g7H8i9J0k1L2m3N4==;EndpointSuffix=x", "AccountKey=[redacted:azure-key];EndpointSuffix=x"),
        ("export DB_PASSWORD=abc1", "export DB_PASSWORD=[redacted:assignment]"),
        ("aws_session_token=FwoGZXIvYXdzEa1", "aws_session_token=[redacted:assignment]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[redacted:private-key]"),
    ],
)
def test_secrets_in_context_are_replaced(text: str, expected: str) -> None:
    """Credentials in URLs, headers, assignments and PEM blocks go; what stands around them stays."""
    assert redact(text) == expected


BEFORE = ["", "new\nline\n", "tab\t", "\x1b[31m", "\u5bc6\u7801\u662f", "caf\u00e9", "_", "\u000b", "\r\n"]
LINES = [*SECRETS.values(), "Bearer abcdef123456", "TOKEN=abcdef12", "PASSWORD=abcd9", "Authorization: Basic dXNlcjpw", "Authorization: Bearer x9z",
         "https://u:p4ss@h/", "hf_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2ln"]  # fmt: skip


@pytest.mark.parametrize("secret", LINES, ids=[line[:12] for line in LINES])
def test_what_stands_before_a_secret_hides_it_not(secret: str) -> None:
    """A line's begin in JSON (an n), a terminal's colour (an m), a letter of another script and an underscore touch the secret, at any depth of JSON."""
    for before in BEFORE:
        for is_ascii in (True, False):
            text = f"first {before}{secret}\nnext"
            for _ in range(3):
                assert "[redacted:" in redact(text) and secret not in redact(text), (before, text)
                text = json.dumps(text, ensure_ascii=is_ascii)


@pytest.mark.parametrize("command", ["curl -H 'Authorization: Digest username=\"bob\", response=\"abcdef\"' http://h",
                                     "cat <<X\n-----BEGIN RSA PRIVATE KEY-----\nMIIabcdef\n(cut)"])
def test_a_secret_without_an_end_breaks_no_json(command: str) -> None:
    """What takes the rest of a line or of a text ends with its string."""
    told = json.loads(redacted_json(json.dumps({"command": command, "timeout": 5})))
    assert (told["timeout"], "[redacted:" in told["command"], "abcdef" in told["command"]) == (5, True, False)


@pytest.mark.parametrize(("text", "expected"), [
    ('{"refreshToken":"abcdefghij"}', '{"refreshToken":"[redacted:assignment]"}'), ("x-auth-token: abcdefgh1", "x-auth-token: [redacted:assignment]"),
    ('{"env":{"LINEAR_TOKEN":"abc123def4"}}', '{"env":{"LINEAR_TOKEN":"[redacted:assignment]"}}'), ("GH_TOKEN: abcdefg1", "GH_TOKEN: [redacted:assignment]"),
])  # fmt: skip
def test_tokens_are_known_by_their_names(text: str, expected: str) -> None:
    """Settings in YAML and JSON, and headers."""
    assert redact(text) == expected


@pytest.mark.parametrize("text", ["MAX_TOKENS: 409600000", "task-2024-long-name-with-a-digit-1234", "work_live_connectionhandlerxx",
                                  "commit 9259320c05f3a1b2c3d4e5f60718293a4b5c6d7e", "http://localhost:8080/a@b", "task-manager and risk-free",
                                  "DB_PASSWORD=$1", "PASSWORD=None", "PASSWORD=***", "gsk_short", "accountkey=yes", "sha256 " + "0123456789abcdef" * 4])
def test_what_is_no_secret_stays(text: str) -> None:
    """Commit ids, ports and ordinary words are left alone."""
    assert redact(text) == text


HOSTILE = (
    "secret" * 100_000,
    "authorization:" + " " * 500_000 + "\n!",
    "bearer" + " " * 500_000,
    "-a" * 250_000 + " secret",
    "eyJ-" * 150_000,
    "-----BEGIN PRIVATE KEY-----" * 20_000,
    "http://a:" * 60_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:8] for text in HOSTILE])
def test_half_a_megabyte_of_near_misses_takes_linear_time(text: str) -> None:
    """A quadratic pattern would take minutes here, a linear one well under a second."""
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 3


def test_half_a_character_hides_no_secret() -> None:
    """A lone surrogate, which no UTF-8 has, is text like any other."""
    assert redact("half \ud800 and AKIAABCDEFGHIJKLMNOP") == "half \ud800 and [redacted:aws-key]"
