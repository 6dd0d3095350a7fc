# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Where a task says that its memory lies: what is understood, what is refused."""

import pytest

from laxity.core.memory_place import MemoryPlace, read_memory_places
from laxity.core.spec import spec_to_toml
from laxity.core.spec_reader import read_spec_toml, resolve_spec
from laxity.errors import ConfigError


def test_each_class_is_placed_where_its_part_says():
    assert read_memory_places("data+bss=lmu, stack=scratchpad@4") == (
        MemoryPlace("data", "lmu", None),
        MemoryPlace("bss", "lmu", None),
        MemoryPlace("stack", "scratchpad", 4),
    )
    assert read_memory_places("") == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stack", 'place "stack" is no CLASS=REGION; write for example stack=scratchpad@4'),
        ("stack=", 'place "stack=" is no CLASS=REGION'),
        ("stack=a@", 'place "stack=a@" is no CLASS=REGION'),
        ("stack=a@-1", 'place "stack=a@-1" is no CLASS=REGION'),
        ("stack=a,", 'place "" is no CLASS=REGION'),
        ("stak=a", 'place: "stak" is no class of memory; did you mean "stack"?'),
        ("text=a", 'place: "text" is no class of memory; use one of code constants data bss heap'),
        ("stack=a,data+stack=b", 'place: stack lies in "a" already; say it once'),
        (5, "place: is no text; write for example stack=scratchpad@4"),
    ],
)
def test_what_is_no_place_is_refused(text: object, said: str):
    with pytest.raises(ConfigError) as refused:
        read_memory_places(text)
    assert said in str(refused.value)


def resolved(platform: str):
    task = {"workload": "mem", "period": "10ms", "place": "heap=scratchpad"}
    other = {"workload": "cpu", "cpus": "1", "place": "stack=lmu@1"}
    return resolve_spec({"platform": platform}, [task], [other], 1)


def test_places_of_tasks_and_corunners_are_kept_and_read_back():
    spec = resolved("sim:mine")
    assert (spec.tasks[0].place, spec.interfere[0].place) == ("heap=scratchpad", "stack=lmu@1")
    assert read_spec_toml(spec_to_toml(spec).encode(), {}, 1) == spec


def test_memory_of_a_machine_is_not_placed():
    with pytest.raises(ConfigError, match="place: only memory of simulated platforms is placed"):
        resolved("native")
