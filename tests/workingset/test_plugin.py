# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""The analysis as a pass of opt and clang: the same tables as those of the tool."""

import subprocess
from pathlib import Path

import pytest
from tests.workingset.oracle_runs import make_subject, must, need_tool, run
from tests.workingset.test_live_sets import FUNCTIONS, analyse

TABLES = ("workingset.csv", "functions.csv", "objects.csv", "calls.csv", "loops.csv", "blocks.csv")
PROGRAM = """\
static int table[8];
static int sum(void) { int s = 0; for (int i = 0; i < 8; i++) s += table[i]; return s; }
int main(int argc, char **argv) { (void)argv; table[argc & 7] = argc; return sum(); }
"""


def need_plugin() -> Path:
    """Find the plugin beside the tools of the build, or skip."""
    plugin = need_tool().with_name("laxity-workingset-plugin.so")
    if not plugin.exists():
        pytest.skip("needs a build folder: the plugin is looked for beside its tools")
    return plugin


def text_of(folder: Path) -> dict[str, str]:
    """Read all tables."""
    return {name: (folder / name).read_text(encoding="utf-8") for name in TABLES}


def run_opt(plugin: Path, passes: str, program: Path) -> subprocess.CompletedProcess[str]:
    """Run opt with the plugin."""
    return run("opt-19", f"-load-pass-plugin={plugin}", f"-passes={passes}", "-disable-output", program)  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("name", ["two_contexts", "recursion", "job"])
def test_opt_writes_the_tables_of_the_tool(name: str, tmp_path: Path) -> None:
    plugin = need_plugin()
    (program,) = (path for path in FUNCTIONS if path.stem == name)
    analyse(program, tmp_path / "tool")
    done = run_opt(plugin, f"laxity-workingset<out={tmp_path}/opt>", program)
    assert done.returncode == 0, done.stderr
    assert text_of(tmp_path / "opt") == text_of(tmp_path / "tool")


def test_opt_refuses_unknown_options_and_a_module_without_a_root(tmp_path: Path) -> None:
    plugin = need_plugin()
    program = tmp_path / "part.ll"
    program.write_text("define i32 @f() {\n  ret i32 1\n}\n", encoding="utf-8")
    done = run_opt(plugin, "laxity-workingset<colour=red>", program)
    assert done.returncode != 0
    assert 'colour=red" is not known' in done.stderr
    done = run_opt(plugin, "laxity-workingset", program)
    assert "names no folder" in done.stderr
    done = run_opt(plugin, f"laxity-workingset<out={tmp_path}/opt>", program)
    assert done.returncode != 0
    assert "defines no function main" in done.stderr
    done = run_opt(plugin, f"laxity-workingset<out={tmp_path}/opt;job=f>", program)
    assert done.returncode == 0, done.stderr
    assert "\nf,0,0,ret," in (tmp_path / "opt" / "workingset.csv").read_text(encoding="utf-8")


def test_clang_writes_the_tables_of_a_program_that_is_one_source(tmp_path: Path) -> None:
    plugin = need_plugin()
    source = tmp_path / "one.c"
    source.write_text(PROGRAM, encoding="utf-8")
    words = ("clang-19", "-g", "-O1", "-c", source, "-o")
    # Before clang's first pass the code is what it is without any pass.
    must(*words, tmp_path / "one.bc", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
    analyse(tmp_path / "one.bc", tmp_path / "tool", "--form", "pipeline-start")
    out = str(tmp_path / "clang")
    must(*words, tmp_path / "one.o", f"-fpass-plugin={plugin}", LAXITY_WORKINGSET_OUT=out)
    assert text_of(tmp_path / "clang" / "one") == text_of(tmp_path / "tool")
    # At the end most of this program is folded away.
    last = str(tmp_path / "last")
    must(
        *words,
        tmp_path / "one.o",
        f"-fpass-plugin={plugin}",
        LAXITY_WORKINGSET_OUT=last,
        LAXITY_WORKINGSET_AT="last",
    )
    end = text_of(tmp_path / "last" / "one")["workingset.csv"]
    assert "pipeline-end" in end
    assert end.count("\n") < text_of(tmp_path / "clang" / "one")["workingset.csv"].count("\n")


def test_clang_compiles_a_part_of_a_program_and_says_that_it_has_no_root(tmp_path: Path) -> None:
    plugin = need_plugin()
    source = tmp_path / "part.c"
    source.write_text("int f(void) { return 1; }\n", encoding="utf-8")
    words = ("clang-19", "-O1", "-c", source, "-o", tmp_path / "part.o", f"-fpass-plugin={plugin}")
    out = str(tmp_path / "clang")
    done = must(*words, LAXITY_WORKINGSET_OUT=out)
    assert "defines no function main" in done.stderr
    assert (tmp_path / "part.o").is_file()
    must(*words, LAXITY_WORKINGSET_OUT=out, LAXITY_WORKINGSET_JOB="f")
    assert (tmp_path / "clang" / "part" / "workingset.csv").is_file()


def test_the_bitcode_of_the_reference_form_has_the_same_tables_in_opt(tmp_path: Path) -> None:
    plugin = need_plugin()
    subject = make_subject(PROGRAM, tmp_path)
    analyse(subject.bitcode, tmp_path / "tool", "--form", "sroa")
    passes = f"laxity-workingset<out={tmp_path}/opt;form=sroa>"
    done = run_opt(plugin, passes, subject.bitcode)
    assert done.returncode == 0, done.stderr
    assert text_of(tmp_path / "opt") == text_of(tmp_path / "tool")
