# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Instructions of one object in a dump of callgrind."""

from laxity.suites.jobs import instructions_of

# main takes 10 + 4 of its own, calls malloc (7 + 5), and a function of its object again takes 2.
DUMP = """\
version: 1
cmd:  /opt/laxity-vet --name p -- /opt/p.so
positions: line
events: Ir
summary: 28

ob=(1) /opt/laxity-vet
fn=(1) step
cob=(2) /opt/p.so
cfn=(2) main
calls=1 0
3 28

ob=(2)
fl=(1) ???
fn=(2)
0 10
+4 4
cob=(3) /lib/libc.so.6
cfn=(3) malloc
calls=2 0
* 12

ob=(3)
fn=(3)
12 7
-2 5

ob=(2)
fn=(4) helper
* 2

totals: 28
"""


def test_what_an_object_s_callees_take_is_not_its_own():
    assert instructions_of(DUMP, "/opt/p.so") == 10 + 4 + 2
    assert instructions_of(DUMP, "/lib/libc.so.6") == 7 + 5


def test_an_executable_that_holds_its_libraries_is_not_told_apart():
    assert instructions_of(DUMP.replace("/opt/laxity-vet --", "/opt/p.so --"), "/opt/p.so") is None


def test_an_object_that_is_not_there_takes_nothing():
    assert instructions_of(DUMP, "/opt/q.so") == 0
