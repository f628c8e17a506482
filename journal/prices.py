"""List prices and context windows of the models that coding agents use: data only, as of CHECKED.

Sources: the vendors' price pages (https://claude.com/pricing#api, https://developers.openai.com/api/docs/pricing,
https://ai.google.dev/gemini-api/docs/pricing) as two tables carry them, genai-prices 0.2.3 and LiteLLM 1.110.2. A model
on whose prices the two disagree is left out, since a wrong cost is worse than none; models that LiteLLM lists no longer stand in
genai-prices alone. `journal catalog refresh` fetches newer ones.
"""

CHECKED = "2026-12-03"

Row = tuple[str, float | None, float | None, float | None, float | None, float | None, int | None]

ROWS: tuple[Row, ...] = (
    # model id, then US dollars for a million tokens: input, output, cache read, cache write (minutes), cache write (an hour); context window in tokens
    ("claude-3-opus", 15, 75, 1.5, 18.75, 30, 200_000),
    ("claude-3-haiku", 0.25, 1.25, 0.03, 0.3, 0.5, 200_000),
    ("claude-3-5-haiku", 0.8, 4, 0.08, 1, 1.6, 200_000),
    ("claude-3-5-sonnet", 3, 15, 0.3, 3.75, 6, 200_000),
    ("claude-3-7-sonnet", 3, 15, 0.3, 3.75, 6, 200_000),
    ("claude-sonnet-4", 3, 15, 0.3, 3.75, 6, 200_000),
    ("claude-sonnet-4-0", 3, 15, 0.3, 3.75, 6, 200_000),
    ("claude-sonnet-4-5", 3, 15, 0.3, 3.75, 6, 200_000),
    ("claude-sonnet-4-6", 3, 15, 0.3, 3.75, 6, 1_000_000),
    ("claude-sonnet-5", 2, 10, 0.2, 2.5, 4, 1_000_000),
    ("claude-sonnet-5-5", 2, 10, 0.1, 2.5, 4, 1_000_000),
    ("claude-opus-4", 15, 75, 1.5, 18.75, 30, 200_000),
    ("claude-opus-4-0", 15, 75, 1.5, 18.75, 30, 200_000),
    ("claude-opus-4-1", 15, 75, 1.5, 18.75, 30, 200_000),
    ("claude-opus-4-5", 5, 25, 0.5, 6.25, 10, 200_000),
    ("claude-opus-4-6", 5, 25, 0.5, 6.25, 10, 1_000_000),
    ("claude-opus-4-7", 5, 25, 0.5, 6.25, 10, 1_000_000),
    ("claude-opus-4-8", 5, 25, 0.5, 6.25, 10, 1_000_000),
    ("claude-opus-5", 5, 25, 0.5, 6.25, 10, 1_000_000),
    ("claude-opus-5-5", 4, 20, 0.2, 5, 8, 1_000_000),
    ("claude-haiku-4-5", 1, 5, 0.1, 1.25, 2, 200_000),
    ("claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125, 0.2, 1_000_000),
    ("claude-fable-5", 10, 50, 1, 12.5, 20, 1_000_000),
    ("claude-fable-5-1", 10, 50, 0.25, 12.5, 20, 1_000_000),
    ("gpt-5", 1.25, 10, 0.125, None, None, 400_000),
    ("gpt-5-codex", 1.25, 10, 0.125, None, None, 400_000),
    ("gpt-5-mini", 0.25, 2, 0.025, None, None, 400_000),
    ("gpt-5-nano", 0.05, 0.4, 0.005, None, None, 400_000),
    ("gpt-5-pro", 15, 120, None, None, None, 400_000),
    ("gpt-5.1", 1.25, 10, 0.125, None, None, 400_000),
    ("gpt-5.1-codex", 1.25, 10, 0.125, None, None, 400_000),
    ("gpt-5.1-codex-max", 1.25, 10, 0.125, None, None, 400_000),
    ("gpt-5.1-codex-mini", 0.25, 2, 0.025, None, None, 400_000),
    ("gpt-5.2", 1.75, 14, 0.175, None, None, 400_000),
    ("gpt-5.2-codex", 1.75, 14, 0.175, None, None, 400_000),
    ("gpt-5.2-pro", 21, 168, None, None, None, 400_000),
    ("gpt-5.3-codex", 1.75, 14, 0.175, None, None, 400_000),
    ("gpt-5.4", 2.5, 15, 0.25, None, None, 1_050_000),
    ("gpt-5.4-mini", 0.75, 4.5, 0.075, None, None, 400_000),
    ("gpt-5.4-nano", 0.2, 1.25, 0.02, None, None, 400_000),
    ("gpt-5.4-pro", 30, 180, None, None, None, 1_050_000),
    ("gpt-5.5", 5, 30, 0.5, None, None, 1_050_000),
    ("gpt-5.5-pro", 30, 180, None, None, None, 1_050_000),
    ("gpt-5.6-luna", 0.2, 1.2, 0.02, 0.25, None, 1_050_000),
    ("gpt-5.6-terra", 2, 12, 0.2, 2.5, None, 1_050_000),
    ("gpt-5.6-sol", 4, 20, 0.4, 5, None, 1_050_000),
    ("gpt-6-luna", 0.1, 0.5, 0.01, 0.125, None, 1_050_000),
    ("gpt-6-sol", 2, 10, 0.2, 2.5, None, 1_050_000),
    ("gpt-6-astra", 10, 50, 1, 12.5, None, 1_050_000),
    ("gpt-6.1-terra", 1, 5, 0.05, 1.25, None, 1_050_000),
    ("gpt-6.1-sol", 2, 10, 0.1, 2.5, None, 1_050_000),
    ("o3", 2, 8, 0.5, None, None, 200_000),
    ("o3-mini", 1.1, 4.4, 0.55, None, None, 200_000),
    ("o4-mini", 1.1, 4.4, 0.275, None, None, 200_000),
    ("gemini-2.5-pro", 1.25, 10, 0.125, None, None, 1_048_576),
    ("gemini-2.5-flash", 0.3, 2.5, 0.03, None, None, 1_048_576),
    ("gemini-2.5-flash-lite", 0.1, 0.4, 0.01, None, None, 1_048_576),
    ("gemini-3-flash-preview", 0.5, 3, 0.05, None, None, 1_048_576),
    ("gemini-3-pro-preview", 2, 12, 0.2, None, None, 1_048_576),
    ("gemini-3.1-flash-lite", 0.25, 1.5, 0.025, None, None, 1_048_576),
    ("gemini-3.1-pro-preview", 2, 12, 0.2, None, None, 1_048_576),
    ("gemini-3.5-flash", 1.5, 9, 0.15, None, None, 1_048_576),
    ("gemini-3.5-flash-lite", 0.3, 2.5, 0.03, None, None, 1_048_576),
)

LongRow = tuple[int, float | None, float | None, float | None, float | None, float | None]

LONG_ROWS: dict[str, LongRow] = {
    # model id: a response whose prompt (input, cache reads and cache writes) is longer than this many tokens pays these prices for all of it
    "claude-sonnet-4-5": (200_000, 6, 22.5, 0.6, 7.5, 12),
    "claude-haiku-5-5": (100_000, 0.5, 2.5, 0.05, 0.625, 1),
    "gpt-5.4": (272_000, 5, 22.5, 0.5, None, None),
    "gpt-5.4-pro": (272_000, 60, 270, None, None, None),
    "gpt-5.5": (272_000, 10, 45, 1, None, None),
    "gpt-5.5-pro": (272_000, 60, 270, None, None, None),
    "gpt-5.6-luna": (272_000, 0.4, 1.8, 0.04, 0.5, None),
    "gpt-5.6-terra": (272_000, 4, 18, 0.4, 5, None),
    "gpt-5.6-sol": (272_000, 8, 30, 0.8, 10, None),
    "gpt-6-luna": (272_000, 0.2, 0.75, 0.02, 0.25, None),
    "gpt-6-sol": (272_000, 4, 15, 0.4, 5, None),
    "gpt-6-astra": (272_000, 20, 75, 2, 25, None),
    "gpt-6.1-terra": (272_000, 2, 7.5, 0.1, 2.5, None),
    "gpt-6.1-sol": (272_000, 4, 15, 0.2, 5, None),
    "gemini-2.5-pro": (200_000, 2.5, 15, 0.25, None, None),
    "gemini-3-pro-preview": (200_000, 4, 18, 0.4, None, None),
    "gemini-3.1-pro-preview": (200_000, 4, 18, 0.4, None, None),
}
