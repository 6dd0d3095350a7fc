# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Everything that can go wrong and that the user can do something about.

::

    LaxityError                 5   base; only its subclasses are raised
    ├── ConfigError             2   usage or specification: unknown name, bad value, bad path
    ├── PlatformError           3   the machine lacks or forbids something
    ├── ToolError               3   a program of ours is missing or of another version
    ├── LimitViolation          1   a limit that the user stated was violated
    └── NoVerdict               4   nothing can be concluded
        └── RecordError         4   a stored run or stream is unreadable or damaged

The number is the exit code. A path that names no run at all is a ConfigError (the user
mistyped); a run that is there but damaged is a RecordError: no figure can be drawn from it, which
is "no verdict".

A message reads `<object>: <what is wrong, with the value>; <what to do>`; the command line puts
`laxity <command>: ` in front of it. An empty message: the user has been told already.
"""

import errno
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

_MOST_NAMED = 8
EXIT_DONE = 0
EXIT_VIOLATED = 1
EXIT_USAGE = 2
EXIT_PLATFORM = 3
EXIT_NO_VERDICT = 4
EXIT_INTERNAL = 5
EXIT_INTERRUPTED = 130

# What the system answers when it forbids or has run out of something: no mistake of the request,
# no damage, no fault of ours.
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SHORT = frozenset({errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ENOMEM})


class LaxityError(Exception):
    """Base of all errors that are told to the user in one line."""

    exit_code: ClassVar[int] = EXIT_INTERNAL


class ConfigError(LaxityError):
    """The request itself is wrong: usage, specification, or a path."""

    exit_code = EXIT_USAGE


class PlatformError(LaxityError):
    """The machine lacks or forbids what the request needs."""

    exit_code = EXIT_PLATFORM


class ToolError(LaxityError):
    """A program or package that belongs to laxity is missing or does not fit."""

    exit_code = EXIT_PLATFORM


class LimitViolation(LaxityError):  # noqa: N818 - the outcome has a name of its own; it is no fault
    """A limit that the user stated was violated."""

    exit_code = EXIT_VIOLATED


class NoVerdict(LaxityError):  # noqa: N818 - the outcome has a name of its own; it is no fault
    """What was asked cannot be concluded from what is there."""

    exit_code = EXIT_NO_VERDICT


class RecordError(NoVerdict):
    """A stored run or stream is unreadable or damaged."""


def is_full(error: OSError) -> bool:
    """Tell whether an output has no room left."""
    return error.errno in _FULL


def cannot_read(path: object, error: OSError) -> LaxityError:
    """Say why a part of a run cannot be read: forbidden by the machine, else damaged."""
    if error.errno in _FORBIDDEN:
        return PlatformError(f"{path}: cannot be read ({error.strerror}); change its permissions")
    return RecordError(f"{path}: cannot be read ({error.strerror}); the run is incomplete")


def environment_error(error: OSError) -> LaxityError | None:
    """Put an unexpected error into words; None: neither machine nor user is to blame."""
    if error.errno == errno.ENAMETOOLONG:
        return ConfigError(f"{error.filename}: {error.strerror}; write a shorter one")
    if error.errno not in _FORBIDDEN | _FULL | _SHORT:
        return None
    advice = "change its permissions" if error.errno in _FORBIDDEN else "mend it and try again"
    if is_full(error):
        advice = "free space"
    where = "" if error.filename is None else f"{error.filename}: "
    return PlatformError(f"{where}{error.strerror}; {advice}")


@contextmanager
def located(where: str) -> Iterator[None]:
    """Prefix the message of a ConfigError raised inside with the place it belongs to.

    Args:
        where: For example `task "video": period`.

    Raises:
        ConfigError: The same error, its message starting with `where`.
    """
    try:
        yield
    except ConfigError as error:
        msg = f"{where}: {error}"
        raise ConfigError(msg) from error


def no_program(name: str, option: str, known: Sequence[str], some: Sequence[str]) -> ConfigError:
    """Say that an option names a program that is not there; `some` are those that are."""
    there = ", ".join(some[:_MOST_NAMED]) or "none"
    advice = suggestion(name, known, f"there are {there}")
    return ConfigError(f'{option}: no program "{name}"; {advice}')


def suggestion(word: str, known: Iterable[str], otherwise: str) -> str:
    """Say what the user may have meant.

    Args:
        word: The unknown word.
        known: The words that would have been right.
        otherwise: Advice given if none of them is similar.

    Returns:
        `did you mean "..."?` or `otherwise`.
    """
    # Imported only here: errors.py is on the path of every command, difflib is needed by few.
    from difflib import get_close_matches  # noqa: PLC0415

    matches = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'did you mean "{matches[0]}"?' if matches else otherwise
