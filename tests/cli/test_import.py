# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""laxity import: what it writes is what laxity run and bound take."""

import json
import tomllib
from pathlib import Path

from tests.cli.laxity_command import Laxity

# One comment, one key twice, one comma too many: rt-app's files have them.
SET = """{
  /* two tasks */
  "tasks": {
    "control": {"cpus": [0], "run": 20, "run": 10, "timer": {"ref": "unique", "period": 10000}},
    "video": {"cpus": [0], "run": 40, "timer": {"ref": "unique", "period": 20000}},
  },
  "global": {"duration": 1, "default_policy": "POLICY"}
}
"""
SPEED = ("--uses-per-us", "100")


def written(laxity: Laxity, text: str) -> Path:
    path = laxity.directory / "set.json"
    path.write_text(text)
    return path


def test_run_executes_the_tasks(laxity: Laxity):
    written(laxity, SET.replace("POLICY", "SCHED_OTHER").replace("20, ", '20, "loop": 2, '))
    text = (laxity.directory / "set.json").read_text()
    written(laxity, text.replace('"run": 40', '"loop": 2, "run": 40'))
    done = laxity("import", "rt-app", "set.json", *SPEED, "-o", "set.toml")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    run = laxity.run("./set.toml")
    assert [(task.name, task.started) for task in run.manifest.tasks] == [
        ("control", 2),
        ("video", 2),
    ]
    # 30 us and 40 us of 100 instructions: 3000 / 512 = 5.9 and 4000 / 512 = 7.8 passes.
    output = (run.path / "output.log").read_text()
    assert "passes=6" in output
    assert "passes=8" in output


def test_bound_answers_of_the_set(laxity: Laxity):
    written(
        laxity,
        SET.replace("POLICY", "SCHED_FIFO").replace('"run": 20', '"priority": 90, "run": 20'),
    )
    done = laxity("import", "rt-app", "set.json", "--bound-only", "-o", "set.toml")
    assert (done.returncode, done.stderr) == (0, "")
    done = laxity("bound", "set.toml", "--costs", "none", "--format", "json")
    assert done.returncode == 0
    # control 30 us at priority 90; video 40 us below it: 70 us.
    found = {task["name"]: task["response_time_ns"] for task in json.loads(done.stdout)["tasks"]}
    assert found == {"control": 30_000, "video": 70_000}


def test_unsupported_is_named_and_nothing_is_written(laxity: Laxity):
    text = SET.replace("POLICY", "SCHED_FIFO").replace('"run": 10', '"lock": "m", "util_min": 5')
    written(laxity, text)
    done = laxity("import", "rt-app", "set.json", *SPEED, "-o", "set.toml")
    assert (done.returncode, done.stdout) == (2, "")
    lines = done.stderr.splitlines()
    assert lines[0] == (
        'laxity import: set.json: not supported: task "control": util_min: '
        "utilisation clamps are not set here"
    )
    assert 'task "control": lock (event 2): jobs share no locks here' in lines[1]
    assert lines[2] == (
        "laxity import: set.json: 2 not supported, see above; change them, or leave them out "
        "with --allow-unsupported"
    )
    assert len(lines) == 3
    assert not (laxity.directory / "set.toml").exists()


def test_allowed_is_told_and_stands_in_the_file(laxity: Laxity):
    written(laxity, SET.replace("POLICY", "SCHED_FIFO").replace('"run": 10', '"lock": "m"'))
    done = laxity("import", "rt-app", "set.json", *SPEED, "--allow-unsupported")
    assert done.returncode == 0
    assert "lock (event 2): jobs share no locks here" in done.stderr
    assert '# Not supported: task "control": lock (event 2)' in done.stdout
    assert [task["name"] for task in tomllib.loads(done.stdout)["task"]] == ["control", "video"]
    done = laxity("import", "rt-app", "set.json", "--bound-only", "--allow-unsupported")
    assert (done.returncode, done.stdout) == (2, "")
    assert "work is left out, so a bound would be of another task set" in done.stderr


def test_misspelt_event_is_refused(laxity: Laxity):
    written(laxity, SET.replace("POLICY", "SCHED_FIFO").replace('"run": 40', '"runn": 40'))
    done = laxity("import", "rt-app", "set.json", *SPEED, "--allow-unsupported")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        'laxity import: set.json: task "video": unknown key "runn"; did you mean "run"?\n'
    )


def test_mistakes_of_usage_are_refused(laxity: Laxity):
    written(laxity, SET.replace("POLICY", "SCHED_FIFO"))
    (laxity.directory / "waits.json").write_text('{"tasks": {"a": {"suspend": ""}}}')
    (laxity.directory / "odd.json").write_text(
        '{"tasks": {"a b": {"run": 1, "timer": {"ref": "unique", "period": 9}}}}'
    )
    for words, why in (
        (("rt-app", "set.json"), "how fast is the processor? add --uses-per-us N"),
        (("rt-app", "set.json", *SPEED, "--bound-only"), "and not both"),
        (("rt-app", "none.json", *SPEED), "none.json: cannot be read (No such file"),
        (("rt-app", ".", *SPEED), ".: is a directory; name a task set"),
        (("rtapp", "set.json", *SPEED), "rt-app"),
        (("rt-app", "waits.json", *SPEED, "--allow-unsupported"), "no task is left"),
        (("rt-app", "odd.json", *SPEED), 'name "a b" is not usable in paths'),
    ):
        done = laxity("import", *words)
        assert (done.returncode, done.stdout) == (2, ""), words
        assert why in done.stderr
