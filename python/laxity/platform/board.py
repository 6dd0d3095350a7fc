# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A board as a platform of runs: our programs there, its facts, its run, its streams.

A run is written to DIRECTORY/runs/NAME on the board, fetched when it has ended, and removed there
once it is stored here. laxity-run learns that we are gone when its standard input ends, and ends
the run in order; then the manifest in DIR.tmp still names the place on the board, and whoever reads
DIR next fetches it.
"""

import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

import msgspec

from laxity import __version__
from laxity.core.board_url import FORM_WITH_DIRECTORY, BoardUrl, parse_board_url
from laxity.core.progress import Display
from laxity.core.signals import Forwarder
from laxity.core.spec import NATIVE_PLATFORM, Spec, workloads_of
from laxity.core.wording import last_line
from laxity.errors import EXIT_NO_VERDICT, ConfigError, LaxityError, PlatformError, ToolError
from laxity.platform import bundle
from laxity.platform.doctor import Examination, examine_facts
from laxity.platform.facts import Facts
from laxity.platform.facts_wire import ask_facts
from laxity.platform.fetch import fetch_streams
from laxity.platform.native import PLAN, Seat, argv_of, in_plan
from laxity.platform.placement import Cpus
from laxity.platform.plan import Plan
from laxity.platform.remote_run import RemoteEnd, watch_remote
from laxity.platform.ssh import Connection, connect
from laxity.platform.tools import list_workloads
from laxity.store import run_directory
from laxity.store.run_directory import NATIVE, NewRun

# As long as the drain process of a run here is waited for.
_DRAIN_TIMEOUT_S = 60.0
_RETRY_S = 0.5
# 20 MB through a slow link; one that is dead ssh notices by itself.
_COPY_TIMEOUT_S = 3600.0
# ssh does not say which signal has ended a program.
_SIGNALLED = -9
# What a shell answers if it cannot start a program.
_NOT_STARTED = (126, 127)
_LIFELINE_FD, _PROGRESS_FD = 3, 4
# Standard input is the lifeline, standard output the progress; what is said goes to the errors.
_REDIRECTIONS = f"{_LIFELINE_FD}<&0 {_PROGRESS_FD}>&1 1>&2 </dev/null"


class BoardPrograms:
    """Where our programs are on a board."""

    # The caller finishes the run, or whoever fetches it.
    finisher: str | None = None

    def __init__(self, directory: str) -> None:
        self._directory = directory

    def tool(self, name: str) -> str:
        """Return the path of one of our programs."""
        return f"{self._directory}/{name}"

    def workload(self, name: str) -> str:
        """Return the path of a workload; one with a / is a path on the board."""
        return name if "/" in name else f"{self._directory}/workloads/{name}"


class Board:
    """A board that can be talked to; make it with `open_board`."""

    name = NATIVE_PLATFORM

    def __init__(self, connection: Connection, directory: str, machine: str) -> None:
        self._connection = connection
        self._directory = directory
        self._machine = machine
        self._programs = BoardPrograms(directory)
        self._facts: Facts | None = None
        self._run_dir: str | None = None
        self.is_holding = False

    @property
    def on(self) -> str | None:
        """Its URL."""
        return str(self._connection.url)

    def facts(self) -> Facts:
        """Take a snapshot of the board."""
        self._facts = ask_facts(self._ask)
        return self._facts

    def examine(self, cpus: Sequence[int]) -> Examination:
        """Take a snapshot of the board and judge it."""
        return examine_facts(self.facts(), cpus)

    def cpus(self) -> Cpus:
        """Tell the board's CPUs from its facts."""
        facts = self._facts or self.facts()
        allowed = frozenset(facts.cpus("@affinity") or (0,))
        present = facts.cpus("/sys/devices/system/cpu/present")
        return Cpus(frozenset(present) if present else allowed, allowed)

    def require_programs(self, spec: Spec) -> None:
        """Look for the workloads on the board."""
        there = set(self._said(f"cd {_quoted(self._directory)}/workloads && ls").split())
        hosts = {one.name for one in list_workloads() if one.kind == "host"}
        for name in workloads_of(spec):
            if "/" in name:
                self._require_program(name)
            elif name in hosts:
                msg = f'workload "{name}": of class host, so not on a board; choose a portable one'
                raise ConfigError(msg)
            elif name not in there:
                msg = f'workload "{name}": not on {self.on}; laxity list shows what there is'
                raise ConfigError(msg)

    def notes(self, spec: Spec) -> list[str]:  # noqa: ARG002 - as any platform
        """Nothing."""
        return []

    def place_of(self, final: Path) -> str | None:
        """Name a directory of the run's own below the bundle's."""
        name = run_directory.path_part(final.name)
        return f"{self._directory}/runs/{name}-{time.time_ns():x}"

    def execute(self, plan: Plan, run: NewRun, display: Display, signals: Forwarder) -> int:
        """Execute a plan there and fetch what was measured.

        Raises:
            PlatformError: The connection is lost; then what was measured stays on the board.
        """
        place = str(run_directory.read_manifest(run.tmp).board_run_dir)
        seat = Seat(Path(place), _PROGRESS_FD, _LIFELINE_FD, self._programs)
        words_file = f"{place}/{PLAN}"
        argv, words = in_plan(argv_of(plan, seat), words_file)
        self._make_run_dir(place)
        self.is_holding = True
        with self.kept_there(place, run.tmp):
            if words:
                self._said(f"cat > {_quoted(words_file)}", words)
            process = self._connection.start(f"echo $$; exec {shlex.join(argv)} {_REDIRECTIONS}")
            end = watch_remote(process, display, signals, self._send_signal)
            self._require_start(end, PurePosixPath(argv[0]).name)
            self.fetch(place, run.tmp)
        return _SIGNALLED if end.is_ssh_failure else end.returncode

    def fetch(self, place: str, tmp: Path) -> None:
        """Bring the streams of a run here.

        Args:
            place: Directory of the run on the board.
            tmp: DIR.tmp.

        Raises:
            PlatformError: The connection is lost, or the run cannot be completed there.
        """
        if self._connection.call(f"[ -d {_quoted(place)} ]").returncode == 0:
            self._complete(place)
            script = f"cd {_quoted(place)} && exec tar -cf - ."
            fetch_streams(self._connection, place, script, tmp)
        self._run_dir = place
        self.is_holding = False

    def discard(self) -> None:
        """Remove the run's directory; one that is left does no harm, and is told."""
        if self._run_dir is None:
            return
        try:
            self._said(f"rm -rf {_quoted(self._run_dir)}")
        except LaxityError as error:
            sys.stderr.write(f"laxity: {self._run_dir} is left on the board: {error}\n")

    @contextmanager
    def kept_there(self, place: str, tmp: Path) -> Iterator[None]:
        """Add to an error where what was measured is, and how to get it."""
        try:
            yield
        except LaxityError as error:
            if not self.is_holding:
                raise
            final = run_directory.final_path_of(tmp)
            msg = f"{error}; what was measured is kept in {place} there, laxity show {final} "
            msg += "fetches it"
            raise PlatformError(msg) from error

    def _ask(self, request: bytes) -> bytes:
        done = self._connection.call(_quoted(self._programs.tool("laxity-facts")), request)
        if done.returncode:
            msg = (
                f"{self.on}: {self._directory}/laxity-facts: {last_line(done.stderr)}; "
                f"{bundle.how_to_get(self._machine)}"
            )
            raise ToolError(msg)
        return done.stdout

    def _said(self, script: str, data: bytes = b"") -> str:
        done = self._connection.call(script, data)
        if done.returncode:
            msg = f"{self.on}: {last_line(done.stderr)}; mend it and try again"
            raise PlatformError(msg)
        return done.stdout.decode("utf-8", "replace")

    def _require_program(self, path: str) -> None:
        if not PurePosixPath(path).is_absolute():
            msg = f'workload "{path}": with --on a path is one on the board; write it from / on'
            raise ConfigError(msg)
        if self._connection.call(f"[ -f {_quoted(path)} ] && [ -x {_quoted(path)} ]").returncode:
            msg = f'workload "{path}": no executable file on {self.on}; copy it there'
            raise ConfigError(msg)

    def _make_run_dir(self, place: str) -> None:
        parent = str(PurePosixPath(place).parent)
        done = self._connection.call(f"mkdir -p {_quoted(parent)} && mkdir {_quoted(place)}")
        if done.returncode:
            msg = (
                f"{self.on}: {place}: cannot be made ({last_line(done.stderr)}); "
                "free space or name another directory"
            )
            raise PlatformError(msg)

    def _send_signal(self, pid: int, name: str) -> bool:
        """Send a signal to laxity-run; tell whether that was possible."""
        try:
            return self._connection.call(f"kill -s {name} {pid}").returncode == 0
        except PlatformError:
            return False

    def _require_start(self, end: RemoteEnd, name: str) -> None:
        """Tell a lost connection, and a program that could not be started, from the run's end."""
        if end.is_ssh_failure and not self._connection.is_alive():
            raise self._connection.failure(end.said)
        if end.pid is None or end.returncode in _NOT_STARTED:
            self.is_holding = False
            msg = f"{self.on}: {name}: cannot be started ({last_line(end.said)}); "
            msg += bundle.how_to_get(self._machine)
            raise ToolError(msg)

    def _complete(self, place: str) -> None:
        """Let laxity-run empty the segment of a run whose processes there were all killed."""
        recover = shlex.join([self._programs.tool("laxity-run"), "--recover", place])
        script = (
            f"cd {_quoted(place)} || exit; [ -f {NATIVE} ] || [ ! -e segment ] || exec {recover}"
        )
        end_s = time.monotonic() + _DRAIN_TIMEOUT_S
        done = self._connection.call(script)
        while done.returncode == EXIT_NO_VERDICT and time.monotonic() < end_s:
            # Its drain process still lives.
            time.sleep(_RETRY_S)
            done = self._connection.call(script)
        if done.returncode:
            said = last_line(done.stderr).removeprefix("laxity-run: ")
            msg = f"{self.on}: the run cannot be completed: {said}"
            raise PlatformError(msg)


@contextmanager
def open_board(url: BoardUrl, *, needs_programs: bool = True) -> Iterator[Board]:
    """Connect to a board.

    Args:
        url: The board.
        needs_programs: Whether it must have our programs; they are copied there if it has not.

    Raises:
        PlatformError: ssh fails, or the bundle cannot be unpacked.
        ToolError: The board has no bundle of this version, and there is none to copy.
    """
    named = url.directory or f"laxity-board-{__version__}"
    with connect(url) as connection:
        mark = _quoted(f"{named}/{bundle.MARK}")
        said = connection.open(f"pwd; uname -m; cat {mark} 2>/dev/null")
        home, machine, found, *_ = [*said.decode("utf-8", "replace").split("\n"), "", "", ""]
        directory = str(PurePosixPath(home) / named)
        if needs_programs:
            _provide_bundle(connection, directory, machine, bundle.parse_id(found))
        yield Board(connection, directory, machine)


@contextmanager
def left_run_fetched(tmp: Path) -> Iterator[None]:
    """Within the block what a run has left on its board is in DIR.tmp; after it, only there.

    Nothing happens for a run that was here, or whose files were fetched already.

    Raises:
        PlatformError: The board cannot be reached; the run stays where it is.
    """
    manifest = run_directory.read_manifest(tmp)
    place = manifest.board_run_dir
    if manifest.on is None or isinstance(place, msgspec.UnsetType) or (tmp / NATIVE).exists():
        yield
        return
    sys.stderr.write(f"laxity: fetching {tmp} from {manifest.on}\n")
    with open_board(parse_board_url(manifest.on), needs_programs=False) as board:
        board.is_holding = True
        with board.kept_there(place, tmp):
            board.fetch(place, tmp)
        yield
        board.discard()


def _provide_bundle(
    connection: Connection, directory: str, machine: str, found: bundle.BundleId | None
) -> None:
    """See that the board has a bundle of this version, the newest one that was made here."""
    # A board may run programs for another instruction set than its kernel's.
    has_version = found is not None and found.version == __version__
    arch = found.arch if found is not None and has_version else bundle.arch_of_machine(machine)
    path = bundle.find_bundle(arch)
    if path is None:
        if has_version:
            return
        state = f"holds version {found.version}" if found else "holds no bundle"
        msg = f"{connection.url}: {directory} {state}, {__version__} is needed; "
        msg += bundle.how_to_get(machine)
        raise ToolError(msg)
    identity, stream = bundle.read_archive(path)
    if identity != found:
        _copy_bundle(connection, directory, path, stream)


def _copy_bundle(connection: Connection, directory: str, path: Path, stream: bytes) -> None:
    megabytes = len(stream) / 1e6
    sys.stderr.write(
        f"laxity: copying {path.name} ({megabytes:.0f} MB unpacked) to {directory} "
        f"on {connection.url}\n"
    )
    place = _quoted(directory)
    script = f"mkdir -p {place} && cd {place} && rm -f {bundle.MARK} && exec tar -xf -"
    done = connection.call(script, stream, _COPY_TIMEOUT_S)
    if done.returncode:
        msg = (
            f"{connection.url}: {directory}: cannot be written ({last_line(done.stderr)}); "
            f"free space, or name another directory ({FORM_WITH_DIRECTORY})"
        )
        raise PlatformError(msg)


def _quoted(path: str) -> str:
    return shlex.quote(path)
