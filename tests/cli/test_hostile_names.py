# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Names that would command a terminal: every place that shows one shows what it is made of."""

import csv
import io
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.commands import BUILT, LAXITY, needs_fifo
from tests.cli.laxity_command import PATIENCE_S, Laxity, on_terminal
from tests.cli.test_traced_runs import may_trace  # noqa: F401 - a fixture
from tests.waiting import wait_until

from laxity.cli.main import LazyGroup
from laxity.core.wording import visible

# ESC, BEL and the C1 form of "ESC [", which colour or clear; U+202E turns what follows around.
# These are 15 bytes, all that the name of a thread may have.
HOSTILE = "n\x1b[31m\x07\x9b2J\u202eq"
SHOWN = r"n\u001b[31m\u0007\u009b2J\u202eq"
# As click quotes a word that is none of its own.
QUOTED = repr(HOSTILE)
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NATIVE = ("laxity-run", "laxity-probe", "laxity-trace", "laxity-facts")

# What each command is given a name by, beside options that it does not know.
NAMING = [
    ("bound", HOSTILE, "--costs", HOSTILE),
    ("compare", HOSTILE, HOSTILE),
    ("contention", "advise", HOSTILE, "--costs", "none"),
    ("contention", "advise", "t.toml", "--costs", "none", "--theta", HOSTILE),
    ("contention", "evaluate", HOSTILE),
    ("contention", "evaluate", "t.json", "--policy", HOSTILE),
    ("contention", "evaluate", "t.json", "--thetas", HOSTILE),
    ("contention", "profile", "empty", "--platform", HOSTILE, "-o", "t.json"),
    (
        "contention",
        "profile",
        "empty",
        "--platform",
        "sim:sabrelite",
        "-o",
        "t",
        "--reads",
        HOSTILE,
    ),
    (
        "contention",
        "profile",
        "empty",
        "--platform",
        "sim:sabrelite",
        "-o",
        "t",
        "--placements",
        HOSTILE,
    ),
    (
        "contention",
        "profile",
        "empty",
        "--platform",
        "sim:sabrelite-partitioned",
        "-o",
        "t",
        "--preempt",
        HOSTILE,
    ),
    ("contention", "evaluate", "t.json", "--pauses", HOSTILE),
    (
        "contention",
        "profile",
        "empty",
        "--platform",
        "sim:sabrelite",
        "-o",
        "t",
        "--pauses",
        HOSTILE,
    ),
    ("contention", "profile", HOSTILE, "--platform", "sim:sabrelite-partitioned", "-o", "t"),
    ("costs", "merge", HOSTILE, "--contention", HOSTILE, "-o", "m.json"),
    ("costs", "show", HOSTILE),
    ("demo", HOSTILE),
    ("doctor", "--cpus", HOSTILE),
    ("doctor", "--on", f"ssh://{HOSTILE}"),
    ("experiment", HOSTILE, "--costs", "none"),
    ("export", HOSTILE, "D"),
    ("export", "csv", HOSTILE),
    ("generate", "--period", HOSTILE),
    ("import", HOSTILE, "D"),
    ("import", "rt-app", HOSTILE, "--bound-only"),
    ("list", HOSTILE),
    ("measure", HOSTILE),
    ("measure", "crpd", "--cpus", HOSTILE),
    ("measure", "cache-misses", "--cpus", HOSTILE),
    ("measure", "cache-misses", "--platform", HOSTILE),
    ("monitor", HOSTILE),
    ("observe", HOSTILE),
    ("observe", "--cgroup", HOSTILE),
    ("platform", "derive", HOSTILE, "-o", "p.toml"),
    ("report", HOSTILE),
    ("profile", "wcet", HOSTILE),
    ("profile", "wcet", "mem", "--scenario", HOSTILE),
    ("profile", "schedulability", HOSTILE),
    ("profile", "memory-need", "--suite", ".", "--vetting", HOSTILE),
    ("versus", "mem", HOSTILE),
    ("reproduce", HOSTILE),
    ("reproduce", "sebek", HOSTILE),
    ("reproduce", "blin", "--preset", HOSTILE),
    ("run", HOSTILE),
    ("run", HOSTILE + ".toml"),
    ("run", "cpu", "-p", HOSTILE),
    ("run", "cpu", "-p", "1s", "--cpus", "0", "--platform", "sim:sabrelite", "--regulate", HOSTILE),
    ("run", "--exec", f"./{HOSTILE}", "-p", "10ms"),
    ("schema", HOSTILE),
    ("setup", "--with", HOSTILE),
    ("show", HOSTILE),
    ("sim", "record", HOSTILE, "--platform", HOSTILE, "--jobs", "1"),
    ("sim", "streams", "--remove", HOSTILE),
    ("sim", "streams", "--limit", HOSTILE),
    ("suite", "discover", HOSTILE),
    ("suite", "vet", HOSTILE),
    ("suite", "run", ".", "--vetting", HOSTILE),
    ("suite", HOSTILE),
    ("sweep", HOSTILE),
    ("sweep", HOSTILE + ".toml"),
    ("workingset", HOSTILE),
    (HOSTILE,),
]


def harmless(data: bytes) -> str:
    """Check that a terminal would obey nothing of it."""
    text = data.decode()
    assert not OBEYED.search(text), repr(text)
    return text


def call(laxity: Laxity, *words: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        words, cwd=laxity.directory, env={**laxity.environment(), "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def call_laxity(laxity: Laxity, *words: str) -> "subprocess.CompletedProcess[bytes]":
    done = laxity(*words)
    # As it was written: subprocess would take carriage returns away from text.
    written = (done.stdout.encode(), done.stderr.encode())
    return subprocess.CompletedProcess(done.args, done.returncode, *written)


@pytest.mark.parametrize("words", NAMING, ids=lambda words: visible(" ".join(words)))
def test_name_in_a_message_is_shown_not_obeyed(laxity: Laxity, words: tuple[str, ...]):
    done = call_laxity(laxity, *words)
    assert done.returncode in {2, 3, 4}
    told = harmless(done.stdout + done.stderr)
    assert SHOWN in told or QUOTED in told


def test_every_command_is_asked():
    assert {words[0] for words in NAMING} - {HOSTILE} == set(LazyGroup.COMMANDS)


@pytest.mark.parametrize("command", [[], *([name] for name in LazyGroup.COMMANDS)])
def test_unknown_option_is_shown_not_obeyed(laxity: Laxity, command: list[str]):
    done = call_laxity(laxity, *command, f"--{HOSTILE}")
    assert done.returncode == 2
    assert SHOWN in harmless(done.stdout + done.stderr)


@pytest.mark.parametrize("tool", NATIVE)
def test_native_tool_shows_a_name_and_obeys_it_not(laxity: Laxity, tool: str):
    done = call(laxity, str(laxity.tools / "native" / tool), HOSTILE)
    assert done.returncode in {2, 3}
    assert SHOWN in harmless(done.stdout + done.stderr)


def test_workload_started_by_hand_shows_a_name_and_obeys_it_not(laxity: Laxity):
    done = call(laxity, str(laxity.tools / "workloads" / "cpu"), "-p", HOSTILE)
    assert done.returncode != 0
    assert SHOWN in harmless(done.stdout + done.stderr)


@pytest.mark.parametrize("place", ["name", "workload", "policy", "period", HOSTILE])
def test_text_of_a_spec_is_shown_not_obeyed(laxity: Laxity, place: str):
    words = {"workload": "cpu", "period": "10ms"} | {place: HOSTILE}
    # In TOML as in JSON a text may be written with \u; a key is a text, too.
    lines = [f"{json.dumps(key)} = {json.dumps(value)}" for key, value in words.items()]
    spec = laxity.directory / "s.toml"
    spec.write_text("schema = 1\n[[task]]\n" + "\n".join(lines) + "\n")
    for command in ("run", "bound"):
        done = call_laxity(laxity, command, str(spec))
        assert done.returncode in {2, 3}
        told = harmless(done.stdout + done.stderr)
        assert SHOWN in told or command == "bound"


@needs_fifo
def test_last_lines_of_a_failed_workload_are_shown_not_obeyed(laxity: Laxity):
    spec = laxity.spec(args=["curse", "0"])
    done = call_laxity(laxity, "run", spec, "--jobs", "2", "--run-dir", "D", "--quiet")
    assert done.returncode == 1
    assert HOSTILE.encode() in (laxity.directory / "D" / "output.log").read_bytes()
    assert SHOWN in harmless(done.stdout + done.stderr)


def test_workload_that_a_terminal_started_shows_what_it_printed(laxity: Laxity):
    # It repeats its word in a complaint, which goes through output.log to stderr after the run.
    words = [str(laxity.tools / "workloads" / "cpu"), "-p", "0.01", "-t", "1", "-b", HOSTILE]
    assert SHOWN in harmless(on_terminal(laxity, words).replace("\r\n", "\n").encode())


@pytest.fixture
def observed(laxity: Laxity, request: pytest.FixtureRequest) -> Iterator[Laxity]:
    """Observe a process whose name and command line are hostile; leave the run as D."""
    request.getfixturevalue("may_trace")
    program = Path(laxity.directory / HOSTILE)
    program.symlink_to(BUILT.tools / "tests" / "native" / "periodic_loop")
    words = [str(program), "relative", "0", "100000", "5000000"]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: comm_of(process.pid) == HOSTILE, "the program itself")
        done = call_laxity(
            laxity, "observe", str(process.pid), "--duration", "300ms", "--run-dir", "D"
        )
        assert done.returncode in {0, 4}
        assert SHOWN in harmless(done.stdout + done.stderr)
        yield laxity
    finally:
        process.kill()
        process.wait()


def comm_of(pid: int) -> str:
    text = Path(f"/proc/{pid}/comm").read_bytes().decode(errors="ignore")
    return text.removesuffix("\n")


def test_name_of_a_process_is_shown_not_obeyed(observed: Laxity):
    report = (observed.directory / "D" / "report.html").read_bytes()
    assert SHOWN in harmless(report)
    for words in (("show", "D"), ("show", "D", "--format", "json"), ("report", "D")):
        done = call_laxity(observed, *words)
        assert done.returncode in {0, 4}
        harmless(done.stdout + done.stderr)
    # A terminal gets text, a file gets the names.
    shown = on_terminal(observed, [*LAXITY, "export", "json", "D"])
    assert SHOWN in harmless(shown.replace("\r\n", "\n").encode())
    exported = call_laxity(observed, "export", "json", "D").stdout
    assert HOSTILE in json.loads(exported)["manifest"]["observation"]["program"][0]
    table = call_laxity(observed, "export", "csv", "D", "--stream", "threads").stdout.decode()
    names = {row["comm"] for row in csv.DictReader(io.StringIO(table, newline=""))}
    assert HOSTILE in names
    assert call_laxity(observed, "export", "perfetto", "D", "-o", "T").returncode == 0


def test_colours_of_our_own_reach_a_terminal_and_names_do_not(laxity: Laxity):
    told = on_terminal(laxity, [*LAXITY, "doctor"])
    assert "\x1b[1mWhat can be measured here\x1b[0m" in told
    told = on_terminal(laxity, [*LAXITY, "show", HOSTILE])
    advice = "does not exist; name a directory that laxity wrote"
    assert told == f"laxity show: run {SHOWN}: {advice}\r\n"
