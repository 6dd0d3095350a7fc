# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Finish a run: one function, whoever calls it.

`laxity` calls it after laxity-run has ended; the drain process calls it (`python -m
laxity.runner.finish DIR.tmp`) if `laxity` died; the next reader calls it if all of them died. It
may be interrupted at any point and called again.
"""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from laxity.errors import (
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_NO_VERDICT,
    EXIT_PLATFORM,
    EXIT_USAGE,
    ConfigError,
    LaxityError,
    PlatformError,
    RecordError,
    cannot_read,
)
from laxity.model.manifest import (
    Counts,
    Manifest,
    Native,
    Status,
    TaskResult,
    Writer,
    decode_document,
)
from laxity.runner import knob_journal, limits, measured, sets, suite_results, trace
from laxity.runner.instances import remove_left_instances
from laxity.runner.kernel import Kernel
from laxity.runner.knob_journal import Owner
from laxity.runner.knobs import restore_left
from laxity.runner.results import (
    corunner_results,
    counted_from_rows,
    stop_result,
    task_results,
)
from laxity.runner.signals import END_SIGNALS
from laxity.runner.streams import secure_streams
from laxity.runner.tools import find_tool
from laxity.store import run_directory
from laxity.store.npy import read_header
from laxity.store.run_directory import COSTS, MANIFEST, NATIVE, SEGMENT, VETTING, Run

# Exit codes of laxity-run that mean "refused", not "ended": usage, and what the machine lacks.
_REFUSALS = (EXIT_USAGE, EXIT_PLATFORM)


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended; `path` None: before its first release, nothing was kept."""

    path: Path | None
    manifest: Manifest


def now() -> str:
    """Write this instant in UTC, as manifests hold it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def this_writer() -> Writer:
    """Describe this process, so that others can tell whether it still lives."""
    return Writer(pid=os.getpid(), start_ticks=_start_ticks(os.getpid()) or 0, boot_id=_boot_id())


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
        manifest, is_kept = _fold_half(tmp, manifest, has_survived=has_survived, code=returncode)
        if not is_kept:
            shutil.rmtree(tmp)
            return Finished(None, manifest)
        write_final_manifest(tmp, manifest)
    (tmp / NATIVE).unlink(missing_ok=True)
    (tmp / SEGMENT).unlink(missing_ok=True)
    run_directory.sync_directory(tmp)
    run_directory.rename_run(tmp, final)
    return Finished(final, run_directory.read_manifest(final))


def _fold_half(
    tmp: Path, manifest: Manifest, *, has_survived: bool, code: int | None
) -> tuple[Manifest, bool]:
    """Put what the run's programs have left into the manifest; tell whether there is anything."""
    if manifest.measurement is not None:
        folded = _fold_measurement(tmp, manifest, has_survived=has_survived, code=code)
        return folded, (tmp / COSTS).exists()
    if manifest.observation is not None:
        if not (tmp / "sched.npy").exists():
            return manifest, False
        return _fold_observation(tmp, manifest, has_survived=has_survived), True
    if manifest.experiment is not None:
        return _fold_experiment(tmp, manifest), (tmp / sets.STREAM).exists()
    if manifest.kind == "vetting":
        return _fold_vetting(tmp, manifest), (tmp / VETTING).exists()
    if manifest.kind != "run":
        manifest = _finish_composite(tmp, manifest)
        # What is damaged is told when it is read; the rest is finished all the same.
        with contextlib.suppress(RecordError):
            write_joined(tmp, manifest)
        return manifest, True
    manifest = _fold(tmp, manifest, has_survived=has_survived, returncode=code)
    manifest = trace.fold_trace(tmp, manifest)
    return manifest, _has_measured(tmp, manifest)


def write_joined(tmp: Path, manifest: Manifest) -> None:
    """Write what a run of runs adds to them: the costs of all together, the table of a suite.

    Raises:
        RecordError: A run within is damaged.
    """
    measured.write_joined_costs(tmp, manifest)
    if manifest.kind == "suite":
        suite_results.write_results(tmp)


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
            manifest, tables=tables, files=files, writer=msgspec.UNSET, board_run_dir=msgspec.UNSET
        ),
    )


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
    if not _recover_left(tmp):
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


def _recover_left(tmp: Path) -> bool:
    """Finish `DIR.tmp`, or remove it if nothing was measured; tell whether there is a run now."""
    lock_fd = run_directory.lock_directory(tmp)
    try:
        if lock_fd is None or _is_being_written(tmp):
            msg = f"run {tmp}: is still being written; wait until it ends"
            raise ConfigError(msg)
        if not (tmp / MANIFEST).is_file():
            # Its writer died before it had said what it would do: no release can have happened.
            shutil.rmtree(tmp)
            return False
        from laxity.runner.board import left_run_fetched  # noqa: PLC0415 - only for what was left

        with left_run_fetched(tmp):
            return finish_run(tmp, has_survived=False).path is not None
    finally:
        if lock_fd is not None:
            os.close(lock_fd)


def _finish_composite(tmp: Path, manifest: Manifest) -> Manifest:
    """Finish the runs within a run that was killed."""
    for name in manifest.runs:
        left = run_directory.tmp_path_of(tmp / "runs" / name)
        if left.is_dir():
            _recover_left(left)
    runs = [name for name in manifest.runs if (tmp / "runs" / name / MANIFEST).is_file()]
    return msgspec.structs.replace(
        manifest,
        status="recovered",
        message="killed; what was measured until then is kept",
        runs=runs,
        finished_at=_last_change(tmp),
    )


def _fold(tmp: Path, manifest: Manifest, *, has_survived: bool, returncode: int | None) -> Manifest:
    """Put laxity-run's half into the manifest."""
    native = _read_native(tmp)
    if native is None and _has_segment(tmp):
        _recover_segment(tmp)
        native = _read_native(tmp)
    spec = limits.read_resolved_spec(tmp)
    if native is None:
        return _fold_nothing(tmp, manifest, returncode)
    folded = msgspec.structs.replace(
        manifest,
        clock=native.clock,
        counter=native.counter,
        snapshots=native.snapshots,
        events=native.events,
        sampling=native.sampling,
        stop=stop_result(spec, native.stop),
        status=native.status if has_survived else "recovered",
        exit_code=native.exit_code,
        message=_message_of(native),
        tasks=task_results(spec, native.tasks),
        corunners=corunner_results(spec, native.corunners),
        fallbacks=native.fallbacks,
        finished_at=now() if has_survived else _last_change(tmp),
    )
    return limits.apply(tmp, spec, folded)


def _fold_measurement(
    tmp: Path, manifest: Manifest, *, has_survived: bool, code: int | None
) -> Manifest:
    """Put laxity-probe's half into the manifest and compute costs from what it has written."""
    native = _read_native(tmp)
    status, exit_code, message = _judge_end(code, "laxity-probe")
    folded = msgspec.structs.replace(
        manifest,
        status=status,
        exit_code=exit_code,
        message=message,
        finished_at=now() if has_survived else _last_change(tmp),
    )
    if native is not None:
        folded = msgspec.structs.replace(
            folded,
            clock=native.clock,
            status=native.status if has_survived else "recovered",
            exit_code=native.exit_code,
            message=native.message,
            fallbacks=[*manifest.fallbacks, *native.fallbacks],
        )
    return measured.write_costs(tmp, folded)


def _fold_observation(tmp: Path, manifest: Manifest, *, has_survived: bool) -> Manifest:
    """Make jobs of what was recorded of an observed program."""
    from laxity.runner.observed import write_jobs  # noqa: PLC0415 - loads numpy

    folded = msgspec.structs.replace(
        manifest, finished_at=now() if has_survived else _last_change(tmp)
    )
    if manifest.trace is None:
        folded = trace.fold_trace(tmp, folded)
        # Stored before the work begins, which may fail and be done again.
        run_directory.write_document(tmp / MANIFEST, folded)
    return write_jobs(tmp, folded, has_survived=has_survived)


def _fold_experiment(tmp: Path, manifest: Manifest) -> Manifest:
    """Keep the sets that a killed experiment had tested."""
    n_left = sets.close_rows(tmp, manifest)
    return msgspec.structs.replace(
        manifest,
        status="recovered",
        message=f"killed, {n_left} sets were not tested yet; the same command goes on",
        finished_at=_last_change(tmp),
    )


def _fold_vetting(tmp: Path, manifest: Manifest) -> Manifest:
    """Keep the verdicts that a killed vetting had come to."""
    return msgspec.structs.replace(
        manifest,
        status="recovered",
        message="killed; the programs that had been vetted until then are kept",
        finished_at=_last_change(tmp),
    )


def _message_of(native: Native) -> str:
    """Leave out the advice how to complete the run: that is being done."""
    if native.exit_code != EXIT_PLATFORM or native.clock.t0_ns is None:
        return native.message
    return native.message.rpartition("; ")[0] or native.message


def _fold_nothing(tmp: Path, manifest: Manifest, returncode: int | None) -> Manifest:
    """Make the best of a run whose harness left no result."""
    spec = limits.read_resolved_spec(tmp)
    counts = counted_from_rows(tmp / "jobs.npy")
    tasks: list[TaskResult] = [
        msgspec.structs.replace(task, counts=counts.get(task.index, Counts()))
        for task in task_results(spec, [])
    ]
    status, exit_code, message = _judge_end(returncode)
    return msgspec.structs.replace(
        manifest,
        status=status,
        exit_code=exit_code,
        message=message,
        tasks=tasks,
        corunners=corunner_results(spec, []),
        finished_at=_last_change(tmp),
    )


def _judge_end(returncode: int | None, tool: str = "laxity-run") -> tuple[Status, int | None, str]:
    """Tell from the way a native program ended what became of a run without a result."""
    if returncode is None:
        return "recovered", None, f"killed; {tool} left no result, what it had written is kept"
    if returncode >= 0:
        return "failed", returncode or EXIT_INTERNAL, f"{tool} ended without a result"
    if -returncode in END_SIGNALS:
        return "interrupted", EXIT_INTERRUPTED, f"interrupted while {tool} was starting"
    return "recovered", EXIT_NO_VERDICT, f"{tool} was killed by signal {-returncode}"


def _has_measured(tmp: Path, manifest: Manifest) -> bool:
    """Whether there is anything to keep: a run that was refused, or never began, leaves nothing."""
    if manifest.clock is None:
        return (tmp / "jobs.npy").exists() and manifest.exit_code not in _REFUSALS
    return manifest.clock.t0_ns is not None or manifest.exit_code not in _REFUSALS


def _read_native(tmp: Path) -> Native | None:
    path = tmp / NATIVE
    try:
        return decode_document(path.read_bytes(), Native, str(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise cannot_read(path, error) from error


def _has_segment(tmp: Path) -> bool:
    """Whether the segment is there; after a reboot only its link is left."""
    return (tmp / SEGMENT).exists()


def _recover_segment(tmp: Path) -> None:
    tool = find_tool("laxity-run")
    done = subprocess.run(
        [tool, "--recover", tmp.absolute()],
        check=False,
        stdout=2,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    if not done.returncode:
        sys.stderr.write(done.stderr)
        return
    # It has said why; that is the message.
    said = done.stderr.strip().removeprefix("laxity-run: ") or f"exit code {done.returncode}"
    kind = PlatformError if done.returncode == EXIT_PLATFORM else RecordError
    msg = f"run {tmp}: cannot be completed: {said}"
    raise kind(msg)


def _is_being_written(tmp: Path) -> bool:
    """Ask the process table, for file systems without locks."""
    try:
        writer = run_directory.read_manifest(tmp).writer
    except RecordError:
        return False
    if isinstance(writer, msgspec.UnsetType) or writer.boot_id != _boot_id():
        return False
    return _start_ticks(writer.pid) == writer.start_ticks


def _last_change(tmp: Path) -> str:
    """Guess when a killed run ended: when it last wrote."""
    last_s = max(path.lstat().st_mtime for path in (tmp, *tmp.glob("*.npy")))
    when = datetime.fromtimestamp(last_s, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _start_ticks(pid: int) -> int | None:
    """Start time of a process in clock ticks since boot; field 22 of its stat file (proc(5))."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The second field, the name, may hold blanks and parentheses: count from the last one.
    return int(stat.rpartition(")")[2].split()[19])


if __name__ == "__main__":
    main()
