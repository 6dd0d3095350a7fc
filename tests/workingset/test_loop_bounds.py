# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Loop bounds of a source, attached to the loops of its code."""

from laxity.workingset.loop_bounds import (
    CallSite,
    CodeLoop,
    StatedBound,
    attach,
    calls_of_functions,
    passes_of_loops,
    read_bounds,
)

# As clang -E prints it: a pragma has a line of its own, and markers say where the code stands.
PREPROCESSED = """\
# 1 "a.c"
# 1 "<built-in>" 1
# 1 "a.c" 2
# 1 "b.h" 1
void g(void);
# 2 "a.c" 2
void f(int n) {

#pragma loopbound min 1 max 8
  for (int i = 0; i < n; i++) {
#pragma loopbound min 0 max 5

    while (n--)
      g();
  }
#pragma unroll
}
"""
OUTER = CodeLoop("f", "b1", "", "a.c", 5)
INNER = CodeLoop("f", "b2", "b1", "a.c", 8)


def test_a_bound_belongs_to_the_next_line_that_has_code():
    # Line 2 is `void f`, 4 the first pragma, 5 `for`; 6 the second, 7 empty, 8 `while`.
    assert read_bounds(PREPROCESSED) == [
        StatedBound("a.c", 5, 1, 8),
        StatedBound("a.c", 8, 0, 5),
    ]


def test_bound_behind_a_text_with_a_form_feed_keeps_its_line():
    # Line 1 is the text, whatever is in it; 2 the pragma, 3 `for`.
    source = '# 1 "a.c"\nchar text[] = "\x0c\x1c\u2028";\n#pragma loopbound min 1 max 8\nfor (;;)\n'
    assert read_bounds(source) == [StatedBound("a.c", 3, 1, 8)]


def test_a_bound_of_thousands_of_digits_is_none():
    source = f'# 1 "a.c"\n#pragma loopbound min 1 max {"9" * 5000}\nfor (;;)\n'
    assert read_bounds(source) == []


def test_bounds_find_the_loops_that_begin_on_their_lines():
    attached = attach(read_bounds(PREPROCESSED), [OUTER, INNER])
    assert attached.most == {("f", "b1"): 8, ("f", "b2"): 5}
    assert not attached.loops_without
    assert not attached.bounds_without


def test_a_loop_without_a_bound_and_a_bound_without_a_loop_are_told():
    other = CodeLoop("f", "b9", "", "a.c", 6)
    attached = attach([StatedBound("a.c", 5, 1, 8)], [other])
    assert attached.loops_without == (other,)
    assert attached.bounds_without == (StatedBound("a.c", 5, 1, 8),)


def test_a_bound_of_another_file_is_not_taken_for_the_same_line():
    attached = attach([StatedBound("b.c", 5, 1, 8)], [OUTER])
    assert attached.loops_without == (OUTER,)


def test_a_loop_that_was_inlined_twice_has_its_bound_in_both_places():
    copies = [CodeLoop("main", "b1", "", "a.c", 5), CodeLoop("main", "b7", "", "a.c", 5)]
    attached = attach([StatedBound("a.c", 5, 1, 8)], copies)
    assert attached.most == {("main", "b1"): 8, ("main", "b7"): 8}


def test_the_passes_of_a_nest_are_the_product_of_its_bounds():
    most = {("f", "b1"): 8, ("f", "b2"): 5}
    # 8 times around the outer loop, each time 5 around the inner one.
    assert passes_of_loops([INNER, OUTER], most) == {("f", "b1"): 8, ("f", "b2"): 40}


def test_a_function_is_called_as_often_as_its_call_sites_are_passed():
    calls = [
        CallSite("main", "", "f"),
        CallSite("main", "", "f"),
        CallSite("f", "b2", "g"),
        CallSite("unreached", "", "g"),
    ]
    # f from two sites once each; g in a loop of 40 passes in each call of f: 80.
    assert calls_of_functions(["main"], calls, {("f", "b2"): 40}) == {"main": 1, "f": 2, "g": 80}


def test_callers_are_counted_before_their_callees_whatever_the_order_of_the_sites():
    calls = [
        CallSite("main", "", "late"),
        CallSite("main", "", "early"),
        CallSite("early", "", "late"),
        CallSite("late", "", "leaf"),
    ]
    # late: once from main, once from early.
    counts = calls_of_functions(["main"], calls, {})
    assert counts == {"main": 1, "early": 1, "late": 2, "leaf": 2}


def test_recursion_has_no_number_and_is_named():
    calls = [CallSite("main", "", "a"), CallSite("a", "", "b"), CallSite("b", "", "a")]
    assert calls_of_functions(["main"], calls, {}) == "a is recursive, and nothing says how deep"
