# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What is common to the commands of `laxity profile`: which programs, and what is told of them."""

import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from laxity.cli.options import with_options
from laxity.cli.suite_manifest import manifest_options
from laxity.cli.suite_run import SuiteWords, vetted_suite, vetting_option
from laxity.core.progress import Countdown
from laxity.core.spec import Isolation
from laxity.core.spec_reader import split_words
from laxity.errors import ConfigError

if TYPE_CHECKING:
    from laxity.core.signals import Forwarder
    from laxity.profile.guests import Guests
    from laxity.suites.prepare import Suite

which_options = with_options(
    click.argument("workloads", metavar="['WORKLOAD [WORD...]'...|NAME...]", nargs=-1),
    click.option(
        "-b",
        "--args",
        "words",
        metavar="'WORD...'",
        help="Words for the workload, one quoted string.  [default: those of its example]",
    ),
    click.option(
        "--suite",
        metavar="DIR",
        help="A checkout that laxity suite vet has vetted: NAMEs are its programs, or patterns "
        "('adpcm_*'); none are all.",
    ),
    vetting_option,
    manifest_options,
)


class Which(msgspec.Struct, frozen=True, kw_only=True):
    """Which programs are profiled, as click gives the options; None: not given."""

    workloads: tuple[str, ...]
    words: str | None
    suite: str | None
    vetting: str | None
    manifest: str | None
    sizes: str | None
    quiet: bool


def progress(*, is_quiet: bool) -> Countdown:
    """Make what tells how far a profile is."""
    return Countdown("laxity profile", "runs", is_quiet=is_quiet)


def read_suite(
    which: Which, platform: str | None, calls: int | None = None, *, is_need: bool = False
) -> "Suite | None":
    """Find the programs of a suite; None: workloads are profiled.

    Args:
        which: As they were named.
        platform: Where they run.
        calls: Of a program in each job.
        is_need: Their need of memory is measured.

    Raises:
        ConfigError: There are none, or options of the one stand beside the other.
        LaxityError: As the compiler.
    """
    if which.suite is None:
        _refuse_given(which, ("vetting", "manifest", "sizes"), "is of a suite; add --suite DIR")
        if not which.workloads:
            msg = "nothing to profile; name a workload (laxity list workloads), or --suite DIR"
            raise ConfigError(msg)
        return None
    _refuse_given(which, ("words",), "programs of a suite have those of their --manifest")
    with _named_as_words():
        return vetted_suite(
            SuiteWords(
                directory=which.suite,
                manifest=which.manifest,
                sizes=which.sizes,
                vetting=which.vetting,
                only=which.workloads,
                platform=platform,
                calls=calls,
                is_need=is_need,
            )
        )


@contextmanager
def targets_of(
    which: Which, suite: "Suite | None", signals: "Forwarder"
) -> "Iterator[tuple[tuple[Mapping[str, Any], ...], Guests]]":
    """Read workloads, or build programs of a suite, which are gone afterwards.

    Raises:
        LaxityError: As either.
        KeyboardInterrupt: The user wants an end.
    """
    from laxity.profile.guests import NO_GUESTS  # noqa: PLC0415 - heavy
    from laxity.suites.profiled import guests_of  # noqa: PLC0415 - with the above

    if suite is None:
        yield _read_targets(which.workloads, which.words), NO_GUESTS
        return
    with tempfile.TemporaryDirectory(prefix="laxity-suite-") as scratch:
        tell = _say_nothing if which.quiet else _tell_built
        yield guests_of(suite, Path(scratch), tell, signals)


def _read_targets(workloads: Sequence[str], words: str | None) -> tuple[Mapping[str, Any], ...]:
    """Read workloads, each of which its words may follow; without any they are of its example.

    Args:
        workloads: As they were named.
        words: Of -b; of one workload only.

    Raises:
        ConfigError: There are several, or a quotation mark has no end.
    """
    from laxity.platform.tools import list_workloads  # noqa: PLC0415 - heavy

    if words is not None and len(workloads) > 1:
        msg = "-b: describes one workload, and several are named; name one"
        raise ConfigError(msg)
    examples = {one.name: one.example for one in list_workloads()}
    return tuple(_target(one, words, examples) for one in workloads)


def _target(
    named: str, words: str | None, examples: Mapping[str, list[str]]
) -> Mapping[str, object]:
    name, *own = split_words(named, "WORKLOAD") or [""]
    if words is not None:
        own = split_words(words, "-b")
    return {"workload": name, "args": own or examples.get(name, [])}


def target_of_command(named: str, *, is_simulated: bool = False) -> Mapping[str, object]:
    """Read a workload or a program, with its words: of a program each job is a process.

    Args:
        named: As the user wrote it.
        is_simulated: It runs on a simulated platform, where programs are workloads.

    Raises:
        ConfigError: It is neither, or a quotation mark has no end.
    """
    from laxity.platform.tools import (  # noqa: PLC0415 - heavy
        find_program,
        is_linked_with_harness,
        list_workloads,
    )

    name, *own = split_words(named, "COMMAND") or [""]
    examples = {one.name: one.example for one in list_workloads()}
    is_own = "/" in name and Path(name).is_file()
    if name in examples or (is_own and (is_simulated or is_linked_with_harness(Path(name)))):
        return _target(named, None, examples)
    program = str(find_program(name))
    # A name that is usable in paths.
    shown = re.sub(r"[^A-Za-z0-9._-]", "-", Path(program).name).lstrip(".-") or "program"
    return {"name": shown, "exec": [program, *own], "isolation": Isolation.EXEC.value}


def _refuse_given(which: Which, keys: Sequence[str], why: str) -> None:
    for key in keys:
        if getattr(which, key) is not None:
            option = "-b" if key == "words" else f"--{key}"
            msg = f"{option}: {why}"
            raise ConfigError(msg)


@contextmanager
def _named_as_words() -> "Iterator[None]":
    """Let a message about what `laxity suite` calls --only name what it is called here.

    Raises:
        ConfigError: The same error, in the user's words.
    """
    try:
        yield
    except ConfigError as error:
        msg = re.sub("^--only:", "NAME:", str(error))
        raise ConfigError(msg) from error


def _tell_built(line: str) -> None:
    print(f"laxity profile: builds {line}", file=sys.stderr, flush=True)


def _say_nothing(_line: str) -> None:
    pass
