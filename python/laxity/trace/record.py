# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Record the scheduling trace beside a run: laxity-trace from before t0 until after the last job.

It learns that the run is over, or that we are gone, when the pipe behind `--parent-fd` hangs up. It
writes trace.json last; until then it holds a lock on sched.npy, so that whoever finishes the run
waits for it. Where no back-end serves, trace.json says so and the streams are absent.
"""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from laxity.core.cpus import format_cpus
from laxity.core.spec import SIMULATED, TRACE_AUTO, Spec
from laxity.core.stop_on import STOP_WINDOW_NS
from laxity.core.wording import plain_words
from laxity.errors import PlatformError, RecordError, ToolError, cannot_read
from laxity.platform.tools import find_tool
from laxity.store import run_directory
from laxity.store.manifest import Fallback, Manifest, decode_document
from laxity.store.native import Native, TraceDocument
from laxity.store.run_directory import NATIVE, TRACE, NewRun
from laxity.trace.instances import remove_left_instances

_SCHED = "sched.npy"
_READY = b"ready\n"
# What jobs were interrupted by belongs to the answer; a back-end that lacks a kind leaves it out.
_EVERYTHING = "wakeup,migrate,irq,softirq"
# Writing out what is buffered takes a moment; a disk that is slow may take seconds.
_STOP_TIMEOUT_S = 60.0
_LOCK_POLL_S = 0.05
# A job is seen, tasks tear down and co-runners end in far less.
_STOP_MARGIN_NS = 5_000_000_000


@contextmanager
def recorded(spec: Spec, run: NewRun) -> Iterator[None]:
    """Record the scheduler around a run, if the spec asks for it.

    Raises:
        PlatformError: The back-end that the spec names cannot serve here.
        ToolError: laxity-trace is missing or of another version.
    """
    if spec.trace is None or spec.platform.startswith(SIMULATED):
        yield  # laxity-sim writes it itself
        return
    cpus = frozenset(cpu for task in spec.tasks for cpu in task.cpus)
    more = ["--kinds", _EVERYTHING]
    more += [] if spec.stop_on is None else ["--keep-last", f"{_kept_ns(spec)}ns"]
    recorder = Recorder(run)
    reason = recorder.start(spec.trace, cpus, more)
    if reason is not None:
        if spec.trace != TRACE_AUTO:
            msg = f"trace: {reason}"
            raise PlatformError(msg)
        sys.stderr.write(f"laxity run: trace: used none instead: {reason}\n")
        _store_refusal(run.tmp, reason)
    try:
        yield
    finally:
        if spec.stop_on is not None:
            _tell_window(run.tmp, recorder)
        recorder.stop()


class Recorder:
    """laxity-trace, writing into the directory of a run."""

    def __init__(self, run: NewRun) -> None:
        self._run = run
        self._process: subprocess.Popen[str] | None = None
        self._parent_write = -1

    @property
    def has_ended(self) -> bool:
        """Whether it ended by itself: its output is full, or it was killed."""
        return self._process is not None and self._process.poll() is not None

    def start(self, backend: str, avoided: frozenset[int], more: Sequence[str] = ()) -> str | None:
        """Start recording.

        Args:
            backend: Its name, or `auto`.
            avoided: CPUs that the recorder keeps off, if there are others.
            more: Further options of laxity-trace.

        Returns:
            None once every CPU is watched, or why no back-end serves.

        Raises:
            ToolError: laxity-trace is missing or of another version.
        """
        ready_read, ready_write = os.pipe()
        parent_read, parent_write = os.pipe()
        argv = [str(find_tool("laxity-trace")), "--run-dir", str(self._run.tmp.absolute())]
        argv += ["--backend", backend, "--parent-fd", str(parent_read)]
        argv += ["--avoid", format_cpus(sorted(avoided)), "--ready-fd", str(ready_write)]
        argv += more
        try:
            with os.fdopen(ready_read, "rb", buffering=0) as ready:
                process = _open(argv, parent_read, ready_write, self._run.lock_fd)
                is_ready = ready.read(len(_READY)) == _READY
        finally:
            os.close(parent_read)
        if is_ready:
            self._process, self._parent_write = process, parent_write
            return None
        os.close(parent_write)
        _, said = process.communicate()
        # One sentence per back-end that was tried.
        reasons = [part.strip() for part in said.split("laxity-trace: ") if part.strip()]
        return "; ".join(reasons) or f"exit code {process.returncode}"

    def tell(self, line: str) -> None:
        """Send a line to a recorder that runs."""
        if self._process is not None:
            with suppress(BrokenPipeError):
                os.write(self._parent_write, line.encode())

    def stop(self) -> None:
        """End the recording and wait until it is written; what it said is passed on."""
        if self._process is None:
            return
        os.close(self._parent_write)
        try:
            _, said = self._process.communicate(timeout=_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            _, said = self._process.communicate()
        if self._process.returncode < 0:
            for note in remove_left_instances():
                sys.stderr.write(f"laxity: trace: {note}\n")
        self._process = None
        sys.stderr.write(said)


def fold_trace(tmp: Path, manifest: Manifest) -> Manifest:
    """Put laxity-trace's half into the manifest and remove it; nothing if none was asked for.

    Raises:
        RecordError: trace.json is unreadable.
    """
    if (tmp / _SCHED).exists():
        _await_recorder(tmp / _SCHED)
    document = _read_document(tmp)
    if document is None:
        return manifest
    (tmp / TRACE).unlink(missing_ok=True)
    return msgspec.structs.replace(
        manifest,
        trace=document.result(),
        events=document.events or manifest.events,
        sampling=document.samples(manifest.sampling),
        fallbacks=[*manifest.fallbacks, *document.fallbacks],
    )


def _tell_window(tmp: Path, recorder: Recorder) -> None:
    """Tell the recorder from when on rows are to be kept, now that the run is over.

    That is before the end of the job that the run stopped on, else of the run; and all of that job.
    Without a result of the run it keeps what it has.
    """
    try:
        native = decode_document((tmp / NATIVE).read_bytes(), Native, str(tmp / NATIVE))
    except (OSError, RecordError):
        return
    stop, end_ns = native.stop, native.clock.end_ns
    if stop is not None:
        end_ns = stop.finish_ns
    if end_ns is None:
        return
    from_ns = end_ns - STOP_WINDOW_NS
    if stop is not None and stop.release_ns is not None:
        from_ns = min(from_ns, stop.release_ns)
    recorder.tell(f"from {from_ns}\n")


def _kept_ns(spec: Spec) -> int:
    """Return how long rows are kept until it is known which are needed.

    A job may last as long as its timeout, and so may another one that runs when it has ended.
    """
    return STOP_WINDOW_NS + 2 * max(task.job_timeout_ns for task in spec.tasks) + _STOP_MARGIN_NS


def _open(
    argv: list[str], parent_read: int, ready_write: int, lock_fd: int
) -> "subprocess.Popen[str]":
    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=2,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            pass_fds=[parent_read, ready_write, lock_fd],
            # Ctrl-C ends the run, and its end ends the recording.
            start_new_session=True,
        )
    except OSError as error:
        msg = f"{argv[0]}: cannot be started ({error.strerror}); rebuild it with ninja -C build"
        raise ToolError(msg) from error
    finally:
        os.close(ready_write)


def _store_refusal(tmp: Path, reason: str) -> None:
    fallback = Fallback(what="trace", used="none", reason=reason)
    run_directory.write_document(tmp / TRACE, TraceDocument(fallbacks=[fallback]))


def _await_recorder(sched: Path) -> None:
    """Wait until no recorder writes the trace any more; a dead one holds no lock.

    It may put another file, locked too, in the place of this one.
    """
    end_s = time.monotonic() + _STOP_TIMEOUT_S
    while time.monotonic() < end_s:
        with sched.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_LOCK_POLL_S)
            except OSError:
                return  # a file system without locks
            else:
                if os.path.samestat(os.fstat(file.fileno()), sched.stat()):
                    return


def _read_document(tmp: Path) -> TraceDocument | None:
    path = tmp / TRACE
    try:
        return msgspec.json.decode(path.read_bytes(), type=TraceDocument)
    except FileNotFoundError:
        if not (tmp / _SCHED).exists():
            return None
    except OSError as error:
        raise cannot_read(path, error) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        msg = f"{path}: unreadable ({plain_words(error)}); the run is damaged"
        raise RecordError(msg) from error
    reason = "laxity-trace was killed; what it had written is kept, what it had lost is not known"
    return TraceDocument(fallbacks=[Fallback(what="trace", used="part of it", reason=reason)])
