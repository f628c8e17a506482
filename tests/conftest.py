"""Hypothesis draws the same examples in every CI run; elsewhere it looks for new ones."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("local", deadline=None)  # a machine that is busy with other things is no failure
settings.load_profile("ci" if os.environ.get("CI") else "local")
