# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs found by compiling as folders suggest."""

from pathlib import Path

import pytest

from laxity.errors import ConfigError, PlatformError
from laxity.suites.discover import discover
from laxity.suites.program import Convention, Discovery, convention_of
from laxity.suites.toolchain import Toolchain

TRIPLE = "void {0}_init(void) {{}} void {0}_main(void) {{}} int {0}_return(void) {{ return 0; }}\n"
MAIN = "int main(void) { return 0; }\n"


def tree(root: Path, files: dict[str, str]) -> Path:
    """Write files below a directory."""
    for name, text in files.items():
        path = root / "checkout" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root / "checkout"


def found(root: Path, files: dict[str, str]) -> Discovery:
    """Discover what these files are."""
    build = root / "build"
    build.mkdir()
    return discover(tree(root, files), build, Toolchain())


def test_a_folder_is_one_program_of_all_its_files(tmp_path: Path):
    one = found(tmp_path, {"k/sum/sum.c": TRIPLE.format("sum") + MAIN, "k/sum/more.c": "int more;"})
    program = one.programs[0]
    assert (program.name, program.convention) == ("sum", Convention.INIT_MAIN_RETURN)
    assert program.sources == ("k/sum/more.c", "k/sum/sum.c")
    assert not one.unplaced


def test_each_main_of_a_folder_is_a_program_with_the_folder_s_other_files(tmp_path: Path):
    files = {
        "a.c": MAIN,
        "b.c": "int f(void); int main(void) { return f(); }",
        "f.c": "int f(void) { return 0; }",
    }
    programs = found(tmp_path, files).programs
    assert [(one.name, one.sources) for one in programs] == [
        ("a", ("a.c", "f.c")),
        ("b", ("b.c", "f.c")),
    ]


def test_a_function_that_a_folder_lacks_comes_from_another_one(tmp_path: Path):
    files = {
        "common/add.c": "int add(int a, int b) { return a + b; }",
        "app/app.c": "int add(int, int); int main(void) { return add(1, -1); }",
    }
    one = found(tmp_path, files)
    assert one.programs[0].sources == ("app/app.c", "common/add.c")
    assert not one.unplaced


def test_a_header_that_a_folder_lacks_comes_from_the_nearest_one(tmp_path: Path):
    files = {
        "x/include/size.h": "#define SIZE 1\n",
        "y/include/size.h": "#error not this one\n",
        "x/app/app.c": '#include "size.h"\nint main(void) { return SIZE - 1; }',
    }
    assert found(tmp_path, files).programs[0].includes == ("x/include",)


def test_a_source_that_another_one_includes_is_no_part_of_its_own(tmp_path: Path):
    files = {"p/p.c": '#include "table.c"\n' + MAIN, "p/table.c": "int table[3];"}
    assert found(tmp_path, files).programs[0].sources == ("p/p.c",)


def test_programs_of_one_name_are_called_by_their_folders(tmp_path: Path):
    programs = found(tmp_path, {"a/fft/fft.c": MAIN, "b/fft/fft.c": MAIN}).programs
    assert [one.name for one in programs] == ["a-fft-fft", "b-fft-fft"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("int helper(void) { return 1; }", "no entry"),
        ("int gone(void); int main(void) { return gone(); }", "gone: defined nowhere"),
        ('#include "gone.h"\n', "gone.h is nowhere in the checkout"),
        ("int main(void) { return wrong; }", "does not compile"),
        (TRIPLE.format("a") + TRIPLE.format("b"), "several sets of NAME_init"),
    ],
)
def test_what_is_no_program_is_told_with_the_reason(tmp_path: Path, source: str, reason: str):
    one = found(tmp_path, {"p/p.c": source})
    assert not one.programs
    assert one.unplaced[0].path == "p"
    assert reason in one.unplaced[0].reason


def test_a_checkout_is_not_written_to(tmp_path: Path):
    root = tree(tmp_path, {"p/p.c": MAIN})
    before = sorted(root.rglob("*"))
    (tmp_path / "build").mkdir()
    discover(root, tmp_path / "build", Toolchain())
    assert sorted(root.rglob("*")) == before


def test_a_directory_without_c_files_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="holds no C file"):
        found(tmp_path, {"README": "nothing"})


def test_a_macro_that_a_suite_wants_is_given_as_a_flag_of_the_compiler(tmp_path: Path):
    root = tree(tmp_path, {"p/p.c": "int main(void) { return SIZE; }"})
    (tmp_path / "build").mkdir()
    build = tmp_path / "build"
    assert not discover(root, build, Toolchain()).programs
    assert discover(root, build, Toolchain(cc=("cc", "-DSIZE=0"))).programs


def test_a_missing_compiler_is_named(tmp_path: Path):
    with pytest.raises(PlatformError, match="cc-that-is-not-there"):
        discover(tmp_path, tmp_path, Toolchain(cc=("cc-that-is-not-there",)))


@pytest.mark.parametrize(
    ("functions", "convention"),
    [
        ({"main"}, (Convention.MAIN, "")),
        ({"main", "x_init", "x_main", "x_return"}, (Convention.INIT_MAIN_RETURN, "x")),
        ({"main", "x_init", "x_main"}, (Convention.MAIN, "")),
        (
            {"p_init", "p_main", "p_return", "x_init", "x_main", "x_return"},
            (Convention.INIT_MAIN_RETURN, "p"),
        ),
        ({"benchmark_init", "benchmark_execution", "benchmark_teardown"}, (Convention.HOOKS, "")),
        (
            {"initialise_benchmark", "benchmark", "verify_benchmark", "main"},
            (Convention.EMBENCH, ""),
        ),
    ],
)
def test_the_more_specific_convention_of_a_program_counts(
    functions: set[str], convention: tuple[Convention, str]
):
    assert convention_of(functions, "p") == convention
