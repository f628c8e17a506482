"""`journal completion`: the shells themselves complete with what it prints."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cli.arguments import GROUPS
from cli.completion import SHELLS, script

COMMANDS = sorted(name for names in GROUPS.values() for name in names)


def completed_by_bash(folder: Path, line: str) -> list[str]:
    """Return what bash offers at the end of *line*."""
    (folder / "completion").write_text(script("bash"))
    words = line.split(" ")
    program = f'. "{folder}/completion"; COMP_WORDS=({" ".join(words)} ""); COMP_CWORD={len(words) - 1}; _shtab_journal; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, check=True)
    return sorted(done.stdout.split())


def completed_by_fish(folder: Path, line: str) -> list[str]:
    """Return what fish offers at the end of *line*."""
    (folder / "completion").write_text(script("fish"))
    environ = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    done = subprocess.run(["fish", "--no-config", "-c", f'source "{folder}/completion"; complete -C "{line}"'],
                          capture_output=True, text=True, check=True, env=environ)  # fmt: skip
    return sorted(offer.split("\t")[0] for offer in done.stdout.splitlines())


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_stands_in_the_script(shell: str) -> None:
    """Whatever group it is of."""
    text = script(shell)
    assert [name for name in COMMANDS if name not in text] == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_accepts_the_script(shell: str, tmp_path: Path) -> None:
    """Its own check of syntax, where the shell is installed."""
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "completion").write_text(script(shell))
    done = subprocess.run([shell, "-n", str(tmp_path / "completion")], capture_output=True, text=True, check=False, env={"HOME": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("bash"), reason="bash is not installed")
def test_bash_completes_commands_options_and_choices(tmp_path: Path) -> None:
    """A command by its beginning, its options, and the values of an option."""
    assert completed_by_bash(tmp_path, "journal verif") == ["verify"]
    assert completed_by_bash(tmp_path, "journal replay --vi") == ["--view"]
    assert completed_by_bash(tmp_path, "journal completion z") == ["zsh"]
    assert {"day", "session", "model"} <= set(completed_by_bash(tmp_path, "journal usage --by "))


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_completes_commands_options_and_choices(tmp_path: Path) -> None:
    """The same in fish."""
    assert completed_by_fish(tmp_path, "journal verif") == ["verify"]
    assert completed_by_fish(tmp_path, "journal replay --vi") == ["--view"]
    assert completed_by_fish(tmp_path, "journal completion z") == ["zsh"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh_knows_the_command_after_compinit(tmp_path: Path) -> None:
    """The script, put where zsh looks for functions, is what completes `journal`."""
    (tmp_path / "_journal").write_text(script("zsh"))
    program = f'fpath=("{tmp_path}" $fpath); autoload -Uz compinit; compinit -u -d "{tmp_path}/dump"; print ${{_comps[journal]}}'
    done = subprocess.run(["zsh", "-f", "-c", program], capture_output=True, text=True, check=True, env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})
    assert done.stdout == "_journal\n"
