# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Finish a run: one function, whoever calls it.

`laxity` calls it after laxity-run has ended; the drain process calls it (`python -m
laxity.jobs.finish DIR.tmp`) if `laxity` died; the next reader calls it if all of them died. It
may be interrupted at any point and called again.
"""

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import msgspec

from laxity.core.standard_streams import secure_streams
from laxity.errors import ConfigError, LaxityError, RecordError
from laxity.jobs.ends import End, is_being_written, last_change
from laxity.platform import knob_journal
from laxity.platform.kernel import Kernel
from laxity.platform.knob_journal import Owner
from laxity.platform.knobs import restore_left
from laxity.store import run_directory
from laxity.store.manifest import Manifest, kind_of_figures, undetermined_tasks
from laxity.store.npy import read_header
from laxity.store.run_directory import MANIFEST, NATIVE, SEGMENT, Run
from laxity.trace.instances import remove_left_instances

# Who makes a run of what its programs have left, by what the run is of: `fold` of that module gives
# the manifest, and whether there is anything to keep. Runs of other kinds consist of runs.
_FOLDS = {
    "run": "laxity.jobs.fold",
    "measurement": "laxity.costs.from_rows",
    "observe": "laxity.trace.store_observed",
    "experiment": "laxity.bounds.stored_sets",
    "vetting": "laxity.suites.stored_results",
}
# Who adds to a run that consists of runs what they are together: `join` of these modules.
_JOINS = (
    "laxity.costs.from_rows",
    "laxity.papers.result",
    "laxity.profile.join",
    "laxity.suites.stored_results",
)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended; `path` None: before its first release, nothing was kept."""

    path: Path | None
    manifest: Manifest


def finish_run(tmp: Path, *, has_survived: bool, returncode: int | None = None) -> Finished:
    """Complete `DIR.tmp` and rename it to `DIR`.

    Args:
        tmp: The directory of the run as it was left.
        has_survived: Whether the process that started the run lives.
        returncode: How laxity-run ended, if known; negative: by a signal.

    Raises:
        RecordError: The run is damaged so that nothing can be made of it.
        ToolError: laxity-run is needed for recovery and not there.
        PlatformError: The output is full.
    """
    final = tmp.with_name(tmp.name.removesuffix(run_directory.TMP_SUFFIX))
    if not tmp.exists() and final.exists():
        return Finished(final, run_directory.read_manifest(final))
    manifest = run_directory.read_manifest(tmp)
    if manifest.status == "running":
        manifest, is_kept = _fold(tmp, manifest, End(has_survived, returncode))
        if not is_kept:
            shutil.rmtree(tmp)
            return Finished(None, manifest)
        write_final_manifest(tmp, manifest)
    (tmp / NATIVE).unlink(missing_ok=True)
    (tmp / SEGMENT).unlink(missing_ok=True)
    run_directory.sync_directory(tmp)
    run_directory.rename_run(tmp, final)
    return Finished(final, run_directory.read_manifest(final))


def _fold(tmp: Path, manifest: Manifest, end: End) -> tuple[Manifest, bool]:
    """Put what the run's programs have left into the manifest; tell whether there is anything."""
    kind = "measurement" if manifest.measurement is not None else manifest.kind
    if kind in _FOLDS:
        found: tuple[Manifest, bool] = import_module(_FOLDS[kind]).fold(tmp, manifest, end)
        return found
    manifest = _finish_composite(tmp, manifest)
    # What is damaged is told when it is read; the rest is finished all the same.
    with contextlib.suppress(RecordError):
        write_joined(tmp, manifest)
    return manifest, True


def write_joined(tmp: Path, manifest: Manifest) -> None:
    """Write what a run of runs adds to them: the costs of all together, the table of a suite.

    Raises:
        RecordError: A run within is damaged.
    """
    for name in _JOINS:
        import_module(name).join(tmp, manifest)


def _finish_composite(tmp: Path, manifest: Manifest) -> Manifest:
    """Finish the runs within a run that was killed."""
    for name in manifest.runs:
        left = run_directory.tmp_path_of(tmp / "runs" / name)
        if left.is_dir():
            recover_left(left)
    runs = [name for name in manifest.runs if (tmp / "runs" / name / MANIFEST).is_file()]
    return msgspec.structs.replace(
        manifest,
        status="recovered",
        message="killed; what was measured until then is kept",
        runs=runs,
        finished_at=max([last_change(tmp), *_ends_of(tmp, runs)]),
    )


def _ends_of(tmp: Path, runs: Sequence[str]) -> Iterator[str]:
    """Tell when runs within a killed one ended: it went on after it last wrote anything itself."""
    for name in runs:
        # A damaged one is told when it is read.
        with contextlib.suppress(RecordError):
            yield run_directory.read_manifest(tmp / "runs" / name).finished_at or ""


def write_final_manifest(
    tmp: Path, manifest: Manifest, other_tables: Mapping[str, int] | None = None
) -> None:
    """Count, hash and sync the files of a run; then write its manifest, the last of them.

    Args:
        tmp: The directory of the run; after this it only waits to be renamed.
        manifest: Complete but for tables and hashes; its status is final.
        other_tables: Rows of tables that are no streams, by file.
    """
    tables = {path.name: read_header(path).rows for path in sorted(tmp.glob("*.npy"))}
    tables |= other_tables or {}
    files = run_directory.hash_files(tmp)
    for name in files:
        run_directory.sync_file(tmp / name)
    run_directory.write_document(
        tmp / MANIFEST,
        msgspec.structs.replace(
            manifest,
            tables=tables,
            files=files,
            result_hash=_result_hash(tmp, manifest, files),
            writer=msgspec.UNSET,
            board_run_dir=msgspec.UNSET,
        ),
    )


def _result_hash(tmp: Path, manifest: Manifest, files: Mapping[str, str]) -> str | None:
    """Hash the streams of a run and of those within it; None: another machine may give others."""
    within = [run_directory.read_manifest(tmp / "runs" / name) for name in manifest.runs]
    # What a signal or a full disk has cut off depends on the host; so do jobs that asked it.
    is_repeatable = all(
        one.status == "complete" and not undetermined_tasks(one) for one in (manifest, *within)
    )
    if kind_of_figures(manifest) != "simulated" or not is_repeatable:
        return None
    for name, one in zip(manifest.runs, within, strict=True):
        files = {**files, **{f"runs/{name}/{path}": digest for path, digest in one.files.items()}}
    return run_directory.hash_streams(files)


def recover(path: Path) -> None:
    """Finish what a killed run has left in `DIR.tmp`, if DIR is missing and nobody writes it.

    Args:
        path: DIR, or DIR.tmp itself.

    Raises:
        ConfigError: The run is still being written, or ended before anything was measured.
        RecordError, ToolError, PlatformError: As `finish_run`.
    """
    final = run_directory.final_path_of(path)
    tmp = run_directory.tmp_path_of(final)
    if final.exists() or not tmp.is_dir():
        return
    if not recover_left(tmp):
        msg = f"run {final}: ended before its first release; nothing was measured"
        raise ConfigError(msg)


def open_recovered(path: Path) -> Run:
    """Open a run for reading; finish it first if it was left over.

    Raises:
        ConfigError: There is no run, or it is still being written.
        RecordError, ToolError, PlatformError: As `finish_run`.
    """
    recover(path)
    final = run_directory.final_path_of(path)
    # "." and "DIR/" are shown as the user wrote them.
    return run_directory.open_run(final if path.name else path)


def main() -> None:
    """Finish `DIR.tmp`, the only argument; run by the drain process after `laxity` has died."""
    secure_streams()
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and its one word
        sys.stderr.write("laxity finish: one argument is needed: DIR.tmp\n")
        sys.exit(2)
    # First, whatever becomes of the run: settings of the kernel must not stay changed.
    for note in _restore_knobs(Path(sys.argv[1])):
        sys.stderr.write(f"laxity finish: {note}\n")
    try:
        # It waits for the recorder of the trace, if there is one that lives.
        finish_run(Path(sys.argv[1]), has_survived=False)
    except LaxityError as error:
        sys.stderr.write(f"laxity finish: {error}\n")
        sys.exit(error.exit_code)
    finally:
        for note in remove_left_instances():
            sys.stderr.write(f"laxity finish: {note}\n")


def _restore_knobs(tmp: Path) -> list[str]:
    """Put back the kernel settings that the writer of a run had changed; it is known to be dead."""
    try:
        writer = run_directory.read_manifest(tmp).writer
    except RecordError:
        writer = msgspec.UNSET
    if isinstance(writer, msgspec.UnsetType):
        return restore_left(Kernel())
    dead = Owner(
        schema=knob_journal.SCHEMA,
        pid=writer.pid,
        start_ticks=writer.start_ticks,
        boot_id=writer.boot_id,
    )
    return restore_left(Kernel(), dead)


def recover_left(tmp: Path) -> bool:
    """Finish `DIR.tmp`, or remove it if nothing was measured; tell whether there is a run now.

    Raises:
        ConfigError: It is still being written.
        RecordError, ToolError, PlatformError: As `finish_run`.
    """
    lock_fd = run_directory.lock_directory(tmp)
    try:
        if lock_fd is None or is_being_written(tmp):
            msg = f"run {tmp}: is still being written; wait until it ends"
            raise ConfigError(msg)
        if not (tmp / MANIFEST).is_file():
            # Its writer died before it had said what it would do: no release can have happened.
            shutil.rmtree(tmp)
            return False
        from laxity.platform.board import left_run_fetched  # noqa: PLC0415 - only for what was left

        with left_run_fetched(tmp):
            return finish_run(tmp, has_survived=False).path is not None
    finally:
        if lock_fd is not None:
            os.close(lock_fd)


if __name__ == "__main__":
    main()
