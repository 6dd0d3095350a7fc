# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""What the figures of a simulation depend on."""

import hashlib
from contextlib import suppress
from pathlib import Path

import msgspec

from laxity import __version__
from laxity.core.spec import Spec, spec_to_toml, workloads_of
from laxity.platform.simulated import SimulatedPlatform
from laxity.platform.simulated_programs import emulator_version
from laxity.platform.streams import digest_of


def experiment_identity(
    stated: Spec, placed: Spec, platform: SimulatedPlatform, *others: str
) -> str:
    """Hash what the figures of a simulation depend on; where programs lie is no part of it.

    Args:
        stated: The spec as it is written.
        placed: The same with nothing left to choose.
        platform: That it is simulated on.
        others: What they depend on besides.
    """
    programs = [platform.program_of(name, (), 1) for name in workloads_of(placed)]
    # What a program reads is no part of its words; files that these name are looked at.
    words = [word for task in placed.tasks for word in task.args]
    words += [word for corunner in placed.interfere for word in corunner.args]
    files = [_digest_if_file(word) for word in words]
    digests = [
        (
            digest_of(program.path),
            digest_of(program.front_end),
            emulator_version(program.emulator[0]),
        )
        for program in programs
    ]
    parts = (spec_to_toml(stated), platform.model.text, digests, files, *others, __version__)
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def _digest_if_file(word: str) -> str | None:
    """Hash the file that a word names; None: it names none that can be read."""
    with suppress(OSError):
        return digest_of(Path(word)) if Path(word).is_file() else None
    return None
