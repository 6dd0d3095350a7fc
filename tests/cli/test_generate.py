# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity generate: what it writes is what laxity run takes, and what then runs."""

import json
import re
import tomllib

import pytest
from tests.cli.laxity_command import Laxity

# Short, and loads nobody: jobs of microseconds.
SMALL = ("--code", "64B..4KiB", "--data", "64B..2KiB", "--data-miss", "30%..100%", "--jobs", "2")


def generated(laxity: Laxity, *words: str) -> str:
    done = laxity("generate", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_same_seed_writes_the_same_spec(laxity: Laxity):
    text = generated(laxity, "--seed", "7")
    assert generated(laxity, "--seed", "7") == text
    assert generated(laxity, "--seed", "8") != text
    document = tomllib.loads(text)
    assert document["schema"] == 1
    assert document["run"] == {"seed": 7, "duration": "10s"}
    assert [task["name"] for task in document["task"]] == ["task0", "task1", "task2", "task3"]
    assert [task["priority"] for task in document["task"]] == [90, 89, 88, 87]


def test_seed_that_is_drawn_is_stored_and_draws_the_same_again(laxity: Laxity):
    text = generated(laxity)
    seed = tomllib.loads(text)["run"]["seed"]
    assert generated(laxity, "--seed", str(seed)) == text


def test_run_executes_what_the_spec_says(laxity: Laxity):
    words = ("--tasks", "3", "--code-miss", "10%..100%", "--passes", "1..9", "--seed", "5")
    generated(laxity, *SMALL, *words, "-o", "set.toml")
    text = (laxity.directory / "set.toml").read_text()
    text = text.replace("priority = ", 'policy = "other"\n#')  # permitted to everyone
    (laxity.directory / "set.toml").write_text(text)
    run = laxity.run("./set.toml")
    assert [task.started for task in run.manifest.tasks] == [2, 2, 2]
    # Each workload says what it did; C and Python must count alike.
    told = re.findall(r"# (\d+) instructions and (\d+) reads a pass", text)
    output = (run.path / "output.log").read_text()
    done = re.findall(r"instructions=(\d+) data=\w+ reads=(\d+) passes=(\d+) digest", output)
    passes = re.findall(r"passes=(\d+)", text)
    assert len(told) == 3
    assert sorted(done) == sorted((*counts, one) for counts, one in zip(told, passes, strict=True))


def test_dry_run_takes_every_kind_of_set(laxity: Laxity):
    kinds = [
        ("--code", "none", "--data", "64KiB", "--line", "128B", "--cpus", "0"),
        ("--utilisation", "50%", "--uses-per-us", "2000", "--duration", "1s"),
        ("--priorities", "1,99,3,4", "--period", "1ms", "--code", "1KiB", "--passes", "3"),
        ("--temporal-miss", "50%", "--cache", "32KiB", "--ways", "8", "--line", "32B"),
    ]
    for number, words in enumerate(kinds):
        generated(laxity, *words, "--seed", "1", "-o", f"set{number}.toml")
        done = laxity("run", f"./set{number}.toml", "--dry-run", "--format", "json")
        assert done.returncode == 0, done.stderr
        assert len(json.loads(done.stdout)["task"]) == 4


def test_a_task_set_that_exists_is_not_replaced(laxity: Laxity):
    (laxity.directory / "set.toml").write_text("mine")
    done = laxity("generate", *SMALL, "-o", "set.toml")
    message = "laxity generate: -o set.toml: exists; remove it or name another file\n"
    assert (done.returncode, done.stderr) == (2, message)
    assert (laxity.directory / "set.toml").read_text() == "mine"


def test_temporal_miss_ratio_becomes_a_size(laxity: Laxity):
    words = ("--temporal-miss", "50%", "--cache", "32KiB", "--ways", "8", "--line", "32B")
    text = generated(laxity, *words, "--tasks", "1", "--seed", "1")
    # 32 KiB * 9 / (9 - 0.5) = 34695.5 bytes: 1085 lines of 32 bytes, 61 too many; 61 sets of 9
    # lines are evicted, 549 / 1085 = 50.5991 %. By the paper 61 * 32 / 32768 * 8 = 47.6562 %.
    assert "code=34720B" in text
    assert "50.5991% of its lines miss in each pass (Sebek's figure 5: 47.6562%)" in text


def test_locked_lines_are_refused_by_name(laxity: Laxity):
    done = laxity("generate", "--locked", "4KiB")
    message = (
        "laxity generate: --locked 4KiB: no processor that laxity runs on lets a program lock "
        "cache lines (docs/generated.md, Locked lines); leave it out\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "", message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--code", "100B"), "--code: 100B is no multiple of 64B; write whole lines"),
        (("--code", "8KiB..4KiB"), "--code: 8KiB..4KiB: the first is larger than the second"),
        (("--code", "32B"), "--code: 32B is not within 64B (a line) to 1TiB; write what is"),
        (("--code", "64"), '--code: "64" has no unit'),
        (("--code", "none"), "--code none: a task of neither code nor data does nothing"),
        (
            ("--code-miss", "6.2499%"),
            "--code-miss: 6.2499% is not within 6.25% (all words of a line) to 100%",
        ),
        (("--code-miss", "50"), '--code-miss: "50" is no percentage'),
        (("--data-miss", "50%"), "--data-miss: there is no data; add --data"),
        (("--period", "10us"), "--period: 10us is not within 100us to 24h; write what is"),
        (("--passes", "0"), "--passes: 0 is not within 1 to 1000000000; write what is"),
        (("--passes", "x"), '--passes: "x" is no whole number'),
        (("--utilisation", "50%"), "--utilisation: how fast is the processor?"),
        (("--uses-per-us", "9"), "--uses-per-us: it serves --utilisation"),
        (
            ("--utilisation", "50%", "--uses-per-us", "9", "--passes", "1"),
            "--passes, --utilisation: either says how much a job does; drop one",
        ),
        (("--utilisation", "0%", "--uses-per-us", "9"), "--utilisation: 0% is not within"),
        (("--priorities", "1,2"), "--priorities: 2 for 4 tasks; write one for each"),
        (("--priorities", "1,2,3,100"), "--priorities: 100 is not within 1 to 99"),
        (("--temporal-miss", "50%"), "--temporal-miss: needs the cache; add --cache and --ways"),
        (("--cache", "32KiB"), "--cache, --ways: they serve --temporal-miss"),
        (
            ("--temporal-miss", "50%", "--cache", "1000B", "--ways", "2"),
            "--cache: 1000 bytes are no whole number of sets of 2 lines",
        ),
        (("--temporal-miss", "5%", "--code", "1KiB"), "--code, --temporal-miss: either says"),
        (("--cpus", "x"), "--cpus: "),
        (("--duration", "10"), '--duration: "10" has no unit'),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_write(
    laxity: Laxity, words: tuple[str, ...], message: str
):
    done = laxity("generate", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"laxity generate: {message}")
