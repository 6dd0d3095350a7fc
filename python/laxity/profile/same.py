# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Whether a directory holds the very profile that is asked for, and a command may go on with it."""

from pathlib import Path
from typing import Any

from laxity import __version__
from laxity.errors import ConfigError, RecordError
from laxity.profile.document import Profile, read_profile
from laxity.store.run_directory import MANIFEST, PROFILE, read_manifest, tmp_path_of


def seed_of(final: Path, given: int | None) -> int | None:
    """Return the seed that was given, else that of what is left there; None: neither is there."""
    for directory in (final, tmp_path_of(final)):
        if given is None and (directory / MANIFEST).is_file():
            return read_manifest(directory).seed
    return given


def check_same(directory: Path, asked: Profile, seed: int | None, machine_hash: str) -> None:
    """Refuse to go on with what is another profile.

    Args:
        directory: What an earlier command has left, finished or not.
        asked: What is asked for now.
        seed: Of all its runs.
        machine_hash: Of where they run.

    Raises:
        ConfigError: It is another one; says what differs.
    """
    advice = "name another directory or remove it"
    try:
        manifest = read_manifest(directory)
        # Killed between the two, it has not measured anything.
        has_document = (directory / PROFILE).is_file()
        left = read_profile(directory) if has_document else asked
    except RecordError as error:
        msg = f"run directory {directory}: exists and holds no profile ({error}); {advice}"
        raise ConfigError(msg) from error
    if manifest.kind != "profile":
        msg = f"run directory {directory}: holds a run of kind {manifest.kind}; {advice}"
        raise ConfigError(msg)
    theirs = _plan(left) | {
        "laxity": manifest.tool.version,
        "seed": manifest.seed,
        "machine": manifest.machine_hash,
    }
    ours = _plan(asked) | {"laxity": __version__, "seed": seed, "machine": machine_hash}
    for key in (*theirs, *ours):
        if theirs.get(key) != ours.get(key):
            was, wanted = (_show(plan.get(key)) for plan in (theirs, ours))
            msg = (
                f"run directory {directory}: holds another profile ({key}: {was}, and not "
                f"{wanted}); {advice}"
            )
            raise ConfigError(msg)


def _plan(profile: Profile) -> dict[str, Any]:
    return {
        "analysis": profile.analyses,
        "workload": [" ".join((one.workload, *one.args)) for one in profile.targets],
        # Of programs of a suite.
        "isolation": [str(one.isolation) for one in profile.targets],
        "sources": [str(one.sources_sha256) for one in profile.targets],
        "inputs": [str(one.inputs_sha256) for one in profile.targets],
        "fail-on": profile.fail_on,
        "scenario": [f"{one.name}={'; '.join(one.interfere)}" for one in profile.scenarios],
        **profile.options,
        # Last: on another platform it is another one, too.
        "executable": [str(one.executable_sha256) for one in profile.targets],
    }


def _show(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)
