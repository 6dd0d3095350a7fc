# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""compile_commands.json: what a build says of its sources, less what only says where to write."""

import shlex
from dataclasses import dataclass
from pathlib import Path

import msgspec

from laxity.core.wording import plain_words
from laxity.errors import ConfigError, cannot_read

# Ours to say: what is made of a source, at which level, what else is written.
_DROPPED = frozenset({"-c", "-S", "-E", "-g", "-pg", "-save-temps", "-pipe", "-Winvalid-pch"})
_DROPPED_WITH_NEXT = frozenset({"-o", "-MF", "-MT", "-MQ", "--serialize-diagnostics"})
_DROPPED_PREFIXES = ("-O", "-g", "-M", "-W", "-fsanitize", "-fprofile", "-fplugin", "-flto")

# Programs that start the compiler, which their next word names.
_LAUNCHERS = frozenset({"ccache", "sccache", "distcc", "icecc"})


class _Entry(msgspec.Struct, frozen=True, kw_only=True):
    directory: str
    file: str
    command: str | None = None
    arguments: list[str] | None = None


@dataclass(frozen=True, slots=True)
class CompileCommand:
    """One source: where its compiler is started, and the words that matter."""

    source: Path
    directory: Path
    words: tuple[str, ...]


def read_compile_commands(path: Path) -> list[CompileCommand]:
    """Read a compilation database; of a source that is there twice the first entry counts.

    Raises:
        ConfigError: It is not there, is none, or names no source.
    """
    try:
        entries = msgspec.json.decode(path.read_bytes(), type=list[_Entry])
    except FileNotFoundError as error:
        msg = f"--compile-commands {path}: no such file; let your build write it"
        raise ConfigError(msg) from error
    except OSError as error:
        raise cannot_read(path, error) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"--compile-commands {path}: {plain_words(error)}; name a compilation database"
        raise ConfigError(msg) from error
    found: dict[Path, CompileCommand] = {}
    for entry in entries:
        if "\0" in entry.directory + entry.file:
            msg = f"--compile-commands {path}: names a path with a zero byte in it; mend it"
            raise ConfigError(msg)
        directory = (path.parent / entry.directory).resolve()
        source = (directory / entry.file).resolve()
        words = _meaning(entry, path, source)
        found.setdefault(source, CompileCommand(source, directory, words))
    if not found:
        msg = f"--compile-commands {path}: names no source; let your build write it"
        raise ConfigError(msg)
    return list(found.values())


def _meaning(entry: _Entry, path: Path, source: Path) -> tuple[str, ...]:
    """Keep the words that say what a source means: macros, headers, language, code generation."""

    def is_source(word: str) -> bool:  # `file` may be absolute where the command is not
        place = path.parent / entry.directory / word
        return not word.startswith("-") and place.resolve() == source

    try:
        words = entry.arguments or shlex.split(entry.command or "")
    except ValueError as error:
        msg = f"--compile-commands {path}: {entry.file}: its command has an open quote; mend it"
        raise ConfigError(msg) from error
    compiler = next((i for i, word in enumerate(words) if Path(word).name not in _LAUNCHERS), 0)
    kept: list[str] = []
    is_skipped = False
    for word in words[compiler + 1 :]:
        if is_skipped:
            is_skipped = False
        elif word in _DROPPED_WITH_NEXT:
            is_skipped = True
        elif word not in _DROPPED and not word.startswith(_DROPPED_PREFIXES):
            kept.append(word)
    return tuple(word for word in kept if not is_source(word))
