# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Programs found by compiling as folders suggest."""

import shutil
from pathlib import Path

import pytest

from laxity.errors import ConfigError, PlatformError
from laxity.suites.discover import discover
from laxity.suites.program import Convention, Discovery, convention_of, libraries_of
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


HOOKS = """#include "logging.h"
#include "periodic_benchmark.h"
int benchmark_init(int n, void **words) { flogf(LOG_LEVEL_FILE, log_filep, "%d", n); return 0; }
void benchmark_execution(int n, void **words) { elogf(LOG_LEVEL_ERR, "%d", n); }
void benchmark_teardown(int n, void **words) {}
"""


def test_each_file_with_the_hooks_of_rt_bench_is_a_program_with_our_headers(tmp_path: Path):
    programs = found(tmp_path, {"iso/a.c": HOOKS, "iso/b.c": HOOKS}).programs
    assert [(one.name, one.convention) for one in programs] == [
        ("a", Convention.HOOKS),
        ("b", Convention.HOOKS),
    ]
    # Laxity's own file defines what the harness defines.
    assert [Path(one).name for one in programs[0].sources] == ["a.c", "logging.c"]


def test_a_port_is_made_of_the_same_files_where_rt_bench_s_own_harness_is_in_the_checkout(
    tmp_path: Path,
):
    files = {
        "iso/a.c": HOOKS,
        "generator/include/periodic_benchmark.h": "#error theirs\n",
        "generator/include/logging.h": "#error theirs\n",
        "generator/src/periodic_benchmark.c": "int log_filep;\n",
        "generator/src/main.c": MAIN,
    }
    one = found(tmp_path, files)
    assert [Path(source).name for source in one.programs[0].sources] == ["a.c", "logging.c"]
    assert [(left.path, "laxity takes its place" in left.reason) for left in one.unplaced] == [
        ("generator/src", True)
    ]


def test_a_header_that_is_only_called_as_one_of_rt_bench_s_is_the_suite_s_own(tmp_path: Path):
    files = {
        "inc/logging.h": "#define OWN 0\n",
        "p/p.c": '#include "logging.h"\nint main(void) { return OWN; }\n',
    }
    assert found(tmp_path, files).programs[0].includes == ("inc",)


def test_sources_of_c_and_cpp_are_one_program_linked_for_both(tmp_path: Path):
    files = {
        "p/p.cpp": '#include "twice.hpp"\nextern "C" int one(void);\n'
        "int main() { return twice(one()) - 2; }\n",
        "p/one.c": "int one(void) { return 1; }\n",
        "p/more.cc": '#include "twice.hpp"\nint more() { return twice(2); }\n',
        # In another folder, and with a body in each file that includes it.
        "inc/twice.hpp": "template <typename T> T twice(T value) { return value + value; }\n",
    }
    one = found(tmp_path, files)
    assert not one.unplaced
    assert one.programs[0].sources == ("p/more.cc", "p/one.c", "p/p.cpp")
    assert libraries_of(one.programs[0]) == ("-lstdc++",)


def test_a_function_of_cpp_that_is_missing_is_told_as_it_is_written(tmp_path: Path):
    one = found(tmp_path, {"p/p.cpp": "int gone(int);\nint main() { return gone(1); }\n"})
    assert one.unplaced[0].reason == "does not link: gone(int): defined nowhere"


@pytest.mark.parametrize(
    ("cc", "cxx"),
    [
        (("cc",), ("c++",)),
        (("gcc", "-DSIZE=1", "-std=gnu89"), ("g++", "-DSIZE=1")),
        (("/usr/bin/gcc-12", "-std=c++17"), ("/usr/bin/g++-12", "-std=c++17")),
        (("arm-linux-gnueabihf-gcc",), ("arm-linux-gnueabihf-g++",)),
        (("ccache", "clang-19"), ("ccache", "clang++-19")),
    ],
)
def test_cpp_is_compiled_by_what_belongs_to_the_compiler_of_c(
    cc: tuple[str, ...], cxx: tuple[str, ...]
):
    assert Toolchain(cc=cc).cxx == cxx


def test_cpp_without_a_compiler_of_it_is_told_with_what_installs_one(tmp_path: Path):
    place = shutil.which("gcc")
    (tmp_path / "mine-gcc").symlink_to(place or "")
    toolchain = Toolchain(cc=(str(tmp_path / "mine-gcc"),))
    (tmp_path / "build").mkdir()
    root = tree(tmp_path, {"p/p.cpp": "int main() { return 0; }", "q/q.c": MAIN})
    one = discover(root, tmp_path / "build", toolchain)
    assert [program.name for program in one.programs] == ["q"]
    assert "mine-g++: not found; install a C++ compiler (./laxity setup --with cxx)" in (
        one.unplaced[0].reason
    )
    # Nothing else to find: the machine lacks something.
    with pytest.raises(PlatformError, match="setup --with cxx"):
        discover(root / "p", tmp_path / "build", toolchain)


class Watched:
    """A checkout of files, and a compiler that notes what it compiles."""

    def __init__(self, directory: Path, files: dict[str, str]) -> None:
        self.root, self.build = tree(directory, files), directory / "build"
        self.build.mkdir()
        self.log, compiler = directory / "log", directory / "watched-cc"
        compiler.write_text(f'#!/bin/sh\necho "$@" >>{self.log}\nexec cc "$@"\n')
        compiler.chmod(0o755)
        self.toolchain = Toolchain(cc=(str(compiler),))

    def asked(self, *only: str) -> Discovery:
        return discover(self.root, self.build, self.toolchain, only=only)

    @property
    def compiled(self) -> set[str]:
        words = self.log.read_text().split() if self.log.exists() else []
        return {Path(word).name for word in words if word.endswith(".c")}


def test_what_no_pattern_can_mean_is_not_compiled(tmp_path: Path):
    files = {
        "sort/a_small.c": MAIN,
        "sort/a_large.c": MAIN,
        "app/app.c": "int add(int, int); int main(void) { return add(1, -1); }",
        "common/add.c": "int add(int a, int b) { return a + b; }",
        "other/other.c": MAIN,
    }
    watched = Watched(tmp_path, files)
    assert [one.name for one in watched.asked("a_sm*").programs] == ["a_large", "a_small"]
    assert watched.compiled == {"a_small.c", "a_large.c"}
    # What a program lacks is still found in the rest of the checkout, and only that.
    assert watched.asked("app").programs[0].sources == ("app/app.c", "common/add.c")
    assert watched.compiled == {"a_small.c", "a_large.c", "app.c", "add.c"}


def test_a_program_that_was_asked_for_has_the_name_that_it_has_among_all(tmp_path: Path):
    watched = Watched(tmp_path, {"a/fft/fft.c": MAIN, "b/fft/fft.c": MAIN, "c/c.c": MAIN})
    assert [one.name for one in watched.asked("a-fft-fft").programs] == ["a-fft-fft", "b-fft-fft"]


def test_a_pattern_that_means_nothing_is_refused_before_anything_is_compiled(tmp_path: Path):
    watched = Watched(tmp_path, {"sort/sort.c": MAIN, "sum/sum.c": MAIN})
    with pytest.raises(ConfigError, match='no program "sorrt"; did you mean "sort"'):
        watched.asked("sum", "sorrt")
    assert watched.compiled == set()


def test_a_checkout_is_not_written_to(tmp_path: Path):
    root = tree(tmp_path, {"p/p.c": MAIN})
    before = sorted(root.rglob("*"))
    (tmp_path / "build").mkdir()
    discover(root, tmp_path / "build", Toolchain())
    assert sorted(root.rglob("*")) == before


def test_a_directory_without_c_files_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="holds no file of C or C"):
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
