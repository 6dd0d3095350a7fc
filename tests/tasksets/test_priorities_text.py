# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
import pytest

from laxity.core.task_set import read_task_set
from laxity.errors import ConfigError
from laxity.tasksets.priorities_text import with_priorities

TEXT = b"""schema = 1
# What the arm does.
[[task]]
name = "a"  # first
period = "10ms"
wcet = "1ms"

  [[ task ]]   # the other one
name = "b"
period = "20ms"
wcet = "1ms"
"""


def test_priority_becomes_the_first_key_and_the_rest_stays():
    expected = TEXT.replace(b'name = "a"', b'priority = 90\nname = "a"')
    expected = expected.replace(b'name = "b"', b'priority = 89\nname = "b"')
    assert with_priorities(TEXT, (90, 89)) == expected
    assert not read_task_set(TEXT).has_priorities
    assert read_task_set(expected).has_priorities


def test_line_ends_stay_as_they_are():
    text = TEXT.replace(b"\n", b"\r\n")
    assert with_priorities(text, (2, 1)).count(b"\n") == with_priorities(text, (2, 1)).count(
        b"\r\n"
    )


def test_file_may_end_with_a_key_without_line_end():
    assert with_priorities(TEXT[:-1], (2, 1)) == with_priorities(TEXT, (2, 1))[:-1]


@pytest.mark.parametrize(
    "text",
    [
        b'schema = 1\ntask = [{name = "a", period = "9ms", wcet = "1ms"}]\n',
        TEXT.replace(b'"b"', b'"""\n[[task]]\n"""'),
    ],
)
def test_tasks_that_are_no_tables_are_refused(text: bytes):
    with pytest.raises(ConfigError, match="write the priorities by hand"):
        with_priorities(text, [2, 1][: len(read_task_set(text).tasks)])
