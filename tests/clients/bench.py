"""One scenario: a HOME with the journal's hooks, a project, a mock server and a real client."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import sandbox
from mock_server import MockServer


@dataclass(frozen=True)
class Options:
    out: Path
    cli: str
    cache: Path                      # where Copilot unpacks itself
    python: str                      # an interpreter that has the journal


class Bench:
    """What all hosts share; a subclass knows one client."""

    host: ClassVar[str]
    transcripts_glob: ClassVar[str]
    project_name: ClassVar[str] = "demo-app"
    server: ClassVar[type[MockServer]]
    without_trust: ClassVar[str] = "runs them"
    """What the client does with our hooks where the user has trusted nothing: `runs them`, `skips them` or `refuses`."""

    def __init__(self, scenario: str, options: Options):
        self.options = options
        self.dir = options.out / scenario
        shutil.rmtree(self.dir, ignore_errors=True)
        self.home, self.tmp = self.dir / "home", self.dir / "tmp"
        for folder in (self.home, self.tmp):
            folder.mkdir(parents=True)
        self.runs = 0
        self.mock = self.server(scenario)
        self.project = sandbox.make_project(self.dir / self.project_name, self.env())
        self.configure()
        self.install()

    # -- what a host fills in -------------------------------------------------

    def configure(self) -> None:
        """Write settings that make the client use the mock and ask nothing."""

    def client_env(self) -> dict[str, str]:
        return {}

    def argv(self, *args: str) -> list[str]:
        return [self.options.cli, *args]

    def at_start(self, body: dict[str, Any], prompt: str) -> str:
        """Return what a request holds in the place where this host puts what a session start says; empty where nothing is there."""
        raise NotImplementedError

    def at_prompt(self, body: dict[str, Any], prompt: str) -> str:
        """Return what a request holds in the place where this host puts what a prompt's hook says; empty where nothing is there."""
        raise NotImplementedError

    def again(self, prompt: str) -> None:
        """Give the last session another prompt."""
        raise NotImplementedError

    def watched(self, prompt: str) -> None:
        """Do the same so that `shown` knows what the user is shown."""
        self.again(prompt)

    def shown(self) -> list[str] | None:
        """Return what hooks of all runs had shown to the user; None where the client shows it nowhere (Copilot, in a terminal neither)."""
        return None

    def last_id(self) -> str:
        """Return the id of the session that was written to last."""
        raise NotImplementedError

    # -- the journal ------------------------------------------------------------

    def journal(self, *words: str) -> str:
        """Run a command of the journal as the user of this HOME and return what it prints."""
        done = subprocess.run([self.options.python, "-m", "journal", *words], cwd=self.project, env=self.env(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"journal {' '.join(words)}: {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def install(self) -> None:
        """Install the journal's hooks for this client, as a user would."""
        self.journal("install", "--host", self.host)

    def wrapper(self) -> str:
        """Return a program inside the project that runs the journal: Copilot lets no tool name a path outside the folder."""
        script = self.project / "j"
        script.write_text(f'#!/bin/sh\nexec {self.options.python} -m journal "$@"\n')
        script.chmod(0o755)
        return "./j"

    def distrust(self) -> None:
        """Take every trust away that a hook may depend on."""

    def enter_folder(self) -> None:
        """Trust the project's folder, where the scenario's settings do not."""

    def leave_folder(self) -> bool:
        """Take the trust in the project's folder away; False where the client asks for none without a terminal, or does not start without it."""
        return False

    def trust(self) -> None:
        """Trust what the client asks for, as its own dialogue writes it down."""

    def doctor(self) -> str:
        """Return what `journal doctor` says, whatever it ends with."""
        done = subprocess.run([self.options.python, "-m", "journal", "doctor"], cwd=self.project, env=self.env(), capture_output=True, text=True, check=False)
        return done.stdout + done.stderr

    def settings(self, text: str) -> None:
        """Write the journal's config.toml."""
        folder = self.home / ".local/share/journal"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (folder / "config.toml").write_text(text)

    # -- running ------------------------------------------------------------------

    def env(self, **extra: str) -> dict[str, str]:
        return {**sandbox.clean_env(self.home, self.tmp), **self.client_env(), **extra}

    def run(self, *args: str, env: dict[str, str] | None = None, kill: bool = False) -> str:
        """Run the client once; with `kill`, SIGKILL it in the middle of a stalled answer."""
        self.runs += 1
        when: Callable[[], bool] | None = self._streaming if kill else None
        code, out = sandbox.run(self.argv(*args), self.project, env or self.env(),
                                self.dir / "runs" / f"{self.runs:02d}", kill_when=when)
        print(f"   run {self.runs}: exit {code}", flush=True)
        return out

    def _streaming(self) -> bool:
        if not self.mock.stalling.is_set():
            return False
        time.sleep(1.5)
        return True

    def said(self, since: int) -> list[str]:
        """Return what the agent loop sent to the model from request number *since* on, each request as text."""
        return [json.dumps(request["body"], ensure_ascii=False) for request in self.mock.requests[since:] if request["main"]]

    def bodies(self, since: int) -> list[dict[str, Any]]:
        """Return the requests of the agent loop from number *since* on."""
        return [request["body"] for request in self.mock.requests[since:] if request["main"]]

    # -- results --------------------------------------------------------------------

    def path(self, name: str) -> str:
        return str(self.project / name)

    def transcripts(self) -> list[Path]:
        found = (p for p in self.home.glob(self.transcripts_glob) if p.is_file())
        return sorted(found, key=lambda p: p.stat().st_mtime)

    def keep(self, step: str) -> None:
        """Copy the transcripts as they are now to states/STEP/home/..."""
        for path in self.transcripts():
            copy = self.dir / "states" / step / path.relative_to(self.dir)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
