# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`laxity workingset` on programs in which something goes on beside main."""

import csv
import shutil

import pytest
from tests.cli.laxity_command import Laxity
from tests.cli.test_workingset_command import answer, needs_llvm, write

ASSUMED = "threads or signals: all globals, what escapes and what these lead to are always live"
# `shared` is what the other side uses, `own` what main alone does. At the end of main nobody reads
# either of them, so only what goes on beside it keeps them alive: 8 and 4 numbers of 32 bits.
SHARED_BITS, OWN_BITS = 8 * 32, 4 * 32
START = "int shared[8], own[4];\n"
PROGRAMS = {
    "a thread of POSIX": (
        "posix.c",
        "",
        """
#include <pthread.h>
static void *produce(void *count) { shared[*(int *)count & 7] = 1; return 0; }
int main(int argc, char **argv) {
  pthread_t thread;
  (void)argv;
  for (int i = 0; i < 4; i++) own[i] = argc;
  if (pthread_create(&thread, 0, produce, &argc)) return 1;
  pthread_join(thread, 0);
  return own[0] + own[3] + shared[1];
}
""",
    ),
    "an interrupt": (
        "interrupt.c",
        "--target=arm-none-eabi",
        """
static volatile unsigned count;
__attribute__((interrupt)) void receive(void) { shared[count++ & 7] = 1; }
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 4; i++) own[i] = argc;
  return own[0] + own[3] + shared[1];
}
""",
    ),
    "a thread of C11": (
        "c11.c",
        "",
        """
#include <threads.h>
static int produce(void *count) { shared[*(int *)count & 7] = 1; return 0; }
int main(int argc, char **argv) {
  thrd_t thread;
  (void)argv;
  for (int i = 0; i < 4; i++) own[i] = argc;
  thrd_create(&thread, produce, &argc);
  thrd_join(thread, 0);
  return own[0] + own[3] + shared[1];
}
""",
    ),
    "a thread of C++": (
        "cpp.cpp",
        "",
        """
#include <thread>
int main(int argc, char **) {
  for (int i = 0; i < 4; i++) own[i] = argc;
  std::thread thread([argc] { shared[argc & 7] = 1; });
  thread.join();
  return own[0] + own[3] + shared[1];
}
""",
    ),
    "a signal handler": (
        "handler.c",
        "",
        """
#include <signal.h>
static void count(int number) { shared[number & 7]++; }
int main(int argc, char **argv) {
  struct sigaction action = {.sa_handler = count};
  (void)argv;
  for (int i = 0; i < 4; i++) own[i] = argc;
  sigaction(SIGUSR1, &action, 0);
  raise(SIGUSR1);
  return own[0] + own[3] + shared[2];
}
""",
    ),
    "OpenMP": (
        "omp.c",
        "-fopenmp",
        """
int main(int argc, char **argv) {
  (void)argv;
  for (int i = 0; i < 4; i++) own[i] = argc;
#pragma omp parallel for
  for (int i = 0; i < 8; i++) shared[i] = i;
  return own[0] + own[3] + shared[1];
}
""",
    ),
}


def globals_bits(laxity: Laxity) -> list[int]:
    """What of the globals is live at each instruction of main, in any context at least."""
    with (laxity.directory / "R" / "workingset.csv").open() as file:
        return [
            int(row["live_global_bits_min"])
            for row in csv.DictReader(file)
            if row["function"] == "main" and row["status"] != "unreached"
        ]


@needs_llvm
@pytest.mark.parametrize("what", PROGRAMS)
def test_what_something_else_may_use_at_any_time_is_live_everywhere_and_the_output_says_so(
    laxity: Laxity, what: str
):
    file, flags, text = PROGRAMS[what]
    name = write(laxity, file, START + text)
    (one,) = answer(laxity, name, f"--cflags={flags}", "--no-report")["programs"]
    assert ASSUMED in one["assumptions"]
    assert min(globals_bits(laxity)) >= SHARED_BITS + OWN_BITS
    shutil.rmtree(laxity.directory / "R")
    # Told what is shared, the other array is live as usual: the two of its numbers that are read
    # later, from when they are written.
    note = write(laxity, "notes.toml", 'schema = 1\n[threads]\nshared = ["shared"]\n')
    words = (f"--cflags={flags}", "--annotations", note, "--no-report")
    (one,) = answer(laxity, name, *words)["programs"]
    assert "annotated: threads and signals share only shared" in one["assumptions"]
    assert {min(globals_bits(laxity)), max(globals_bits(laxity))} == {
        SHARED_BITS,
        SHARED_BITS + 2 * 32,
    }
