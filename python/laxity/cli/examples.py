# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Command lines to begin with, of each command: in its help and on its manual page."""

# Of a command: (what to type, what it does).
EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "bound": (
        ("laxity bound tasks.toml --costs costs/costs.json", "with what laxity measure all found"),
        ("laxity bound tasks.toml --costs none", "as if preemptions cost nothing"),
    ),
    "compare": (
        ("laxity compare runs/before runs/after", "what has become longer"),
        (
            "laxity compare runs/before runs/after --fail-on 'response.p99>+5%'",
            "for CI: exit code 1 if more than 5 % longer",
        ),
    ),
    "contention": (
        (
            "laxity contention profile 'dijkstra large' --platform sim:sabrelite-partitioned "
            "-o dijkstra.json",
            "108 loads, a minute or two",
        ),
        ("laxity contention evaluate dijkstra.json --theta 5%", "with loads that are new to it"),
        (
            "laxity contention evaluate dijkstra.json --policy sound,paper,budget --run-dir tried",
            "policies side by side; report in tried/report.html",
        ),
        ("laxity contention advise tasks.toml --costs none", "work that may run with the tasks"),
    ),
    "costs": (("laxity costs show costs/costs.json", "what was measured, as a table"),),
    "demo": (("laxity demo --run-dir first", "about 40 s; report in first/report.html"),),
    "doctor": (("laxity doctor", "what spoils figures here, and how it is mended"),),
    "experiment": (
        ("laxity experiment drawn.toml --costs none", "as if preemptions cost nothing"),
        ("laxity experiment drawn.toml --costs costs.json --run-dir drawn", "and stored"),
    ),
    "export": (
        ("laxity export perfetto runs/mine -o mine.pftrace", "jobs and schedule, in one timeline"),
        ("laxity export csv runs/mine --stream jobs -o jobs.csv", "a row for each job"),
    ),
    "generate": (
        ("laxity generate --seed 1 -o set.toml", "four tasks of code and data, drawn at random"),
    ),
    "list": (
        ("laxity list", "workloads that come with laxity"),
        ("laxity list platforms", "simulated platforms"),
    ),
    "measure": (
        ("laxity measure all --run-dir costs", "everything, about 4 minutes"),
        ("laxity measure crpd --sizes 64KiB,256KiB", "of caches after a preemption, of two sizes"),
        ("laxity measure switch --platform sim:mpc750", "of a simulated platform"),
    ),
    "monitor": (
        (
            "laxity monitor tasks.toml --platform sim:mpc750 --duration 100ms --probe task",
            "a task reads the counters",
        ),
    ),
    "observe": (
        ("laxity observe 4711 --duration 10s", "the jobs of a process that runs already"),
    ),
    "profile": (
        ("laxity profile wcet mem -b 64KiB", "20 fresh processes, alone and beside others"),
        ("laxity profile all 'sort small' --platform sim:zcu102", "all analyses, simulated"),
    ),
    "report": (("laxity report runs/mine", "writes runs/mine/report.html"),),
    "reproduce": (("laxity reproduce sebek", "values of the paper, and ours beside them"),),
    "run": (
        ("laxity run mem 64KiB -p 10ms --duration 10s", "a bundled workload each 10 ms"),
        (
            "laxity run mem 64KiB -p 10ms -t 1000 --interfere 'bandwidth write 16MiB@1'",
            "beside a co-runner on CPU 1",
        ),
        ("laxity run -p 10ms -t 1000 --exec ./control --gain 3", "any program, a process per job"),
        ("laxity run tasks.toml --trace", "an experiment from a file (laxity-spec(5))"),
        (
            "laxity run dijkstra large -p 20ms -t 100 --cpus 0 --platform "
            "sim:sabrelite-partitioned --interfere 'load 4MiB 0 0@1-3' --regulate dijkstra.json",
            "co-runners stop before a job loses more than 5 %",
        ),
    ),
    "schema": (("laxity schema spec", "the keys of a spec file"),),
    "show": (("laxity show runs/mine --verify", "what it was, and whether its files are whole"),),
    "suite": (
        ("laxity suite vet DIR", "which programs can run as jobs, and how"),
        ("laxity suite run DIR -p 10ms -t 100", "all that can"),
    ),
    "sweep": (("laxity sweep grid.toml", "a row for each experiment of a grid"),),
    "versus": (
        ("laxity versus 'sort small' 'sort large'", "of bundled workloads, here"),
        ("laxity versus './control --gain 3' './control --gain 4'", "of any programs"),
        ("laxity versus 'sort small' 'sha small' --platform sim:sabrelite", "exact, simulated"),
        ("laxity versus ./old ./new --fail-on 'ratio > 1.05'", "a gate for a build"),
    ),
    "workingset": (
        ("laxity workingset filter.c", "what is live at each instruction of main"),
    ),
}  # fmt: skip

# What click leaves as it is begins so.
BEGINS_EXAMPLES = "\b\nExamples:"


def epilog_of(name: str) -> str:
    """Write the examples of a command as the end of its help; "" if it has none."""
    if name not in EXAMPLES:
        return ""
    lines = [f"  {typed}\n      {does}" for typed, does in EXAMPLES[name]]
    return "\n".join((BEGINS_EXAMPLES, *lines))
