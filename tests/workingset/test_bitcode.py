# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""Sources to bitcode in a form, by the real clang."""

import shutil
import subprocess
from pathlib import Path

import pytest

from laxity.errors import ConfigError
from laxity.workingset.bitcode import Form, bitcode_toolchain
from laxity.workingset.bitcode_programs import (
    Place,
    advice_on_versions,
    program_of_files,
    programs_of_database,
    programs_of_suites,
)

pytestmark = pytest.mark.skipif(shutil.which("opt-19") is None, reason="no LLVM 19 on this machine")
SQUARE = "static int square(int a) { return a * a; }\n"
MAIN = "int values[4]; int main(void) { return square(values[1]); }\n"


def place(root: Path, form: Form = Form.SROA, *roots: str, target: str | None = None) -> Place:
    """Make a place for bitcode."""
    build = root / "build"
    build.mkdir(parents=True)
    return Place(build, bitcode_toolchain(form, target, ()), roots)


def code(bitcode: Path) -> str:
    """Disassemble."""
    done = subprocess.run(
        ["llvm-dis-19", bitcode, "-o", "-"], capture_output=True, text=True, check=True
    )
    return done.stdout


def source(root: Path, name: str, text: str) -> Path:
    """Write a source."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("form", "has_variables_in_memory", "has_a_call"),
    [(Form.O0, True, True), (Form.SROA, False, True), (Form.INLINE, False, False)],
)
def test_a_form_is_what_its_passes_leave(
    tmp_path: Path, form: Form, has_variables_in_memory: bool, has_a_call: bool
):
    path = source(tmp_path, "a.c", SQUARE + MAIN)
    made = program_of_files([path], place(tmp_path, form)).programs[0]
    text = code(made.bitcode)
    assert ("alloca" in text) == has_variables_in_memory
    assert ("call i32 @square" in text) == has_a_call


def test_what_nobody_enters_from_outside_is_internal_and_a_job_is_kept(tmp_path: Path):
    path = source(tmp_path, "a.c", "int f(void) { return 1; } int g(void) { return 2; }\n" + MAIN)
    path.write_text(SQUARE + path.read_text())
    text = code(program_of_files([path], place(tmp_path, Form.SROA, "f")).programs[0].bitcode)
    assert "@values = internal" in text
    assert "@f(" in text
    assert "@g(" not in text


def test_what_the_assembly_of_a_module_names_is_kept_as_it_is(tmp_path: Path):
    # Optimised, a variable that nobody reads would be gone, though the assembly reads it.
    bump = '__asm__(".globl bump\\nbump: incl values+4(%rip)\\n ret\\n"); int bump(void);\n'
    main = "int main(void) { values[1] = others[1] = 2; return bump(); }\n"
    path = source(tmp_path, "a.c", bump + "int values[4], others[4];\n" + main)
    made = program_of_files([path], place(tmp_path, Form.O2, target="x86_64-linux-gnu")).programs[0]
    text = code(made.bitcode)
    assert "@values = dso_local" in text
    assert "@others" not in text


def test_names_of_sources_are_whole_wherever_clang_is_started(tmp_path: Path):
    path = source(tmp_path, "a.c", SQUARE + MAIN)
    assert f'filename: "{path}"' in code(
        program_of_files([path], place(tmp_path)).programs[0].bitcode
    )


def test_a_target_has_its_own_triple_and_pointers(tmp_path: Path):
    path = source(tmp_path, "a.c", SQUARE + MAIN)
    text = code(
        program_of_files([path], place(tmp_path, target="powerpc-linux-gnu")).programs[0].bitcode
    )
    assert 'target triple = "powerpc-unknown-linux-gnu"' in text
    # Big-endian, pointers of 32 bits.
    assert 'target datalayout = "E-m:e-p:32:32' in text


def test_an_unknown_target_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="--target nonsense"):
        place(tmp_path, target="nonsense")


def test_a_source_that_does_not_compile_is_refused_with_the_compiler_s_reason(tmp_path: Path):
    path = source(tmp_path, "a.c", '#include "nowhere.h"\n')
    with pytest.raises(ConfigError, match=r"nowhere\.h"):
        program_of_files([path], place(tmp_path))


def test_programs_of_a_suite_get_the_functions_that_their_folders_lack(tmp_path: Path):
    source(tmp_path, "suite/common/add.c", "int add(int a, int b) { return a + b; }\n")
    source(tmp_path, "suite/app/app.c", "int add(int, int); int main(void) { return add(1, 2); }\n")
    prepared = programs_of_suites([tmp_path / "suite"], (), place(tmp_path))
    assert [one.name for one in prepared.programs] == ["app"]
    assert "define internal i32 @add" in code(prepared.programs[0].bitcode)


def test_two_suites_must_not_have_programs_of_one_name(tmp_path: Path):
    for name in ("x", "y"):
        source(tmp_path, f"{name}/app/app.c", "int main(void) { return 0; }\n")
    with pytest.raises(ConfigError, match="app"):
        programs_of_suites([tmp_path / "x", tmp_path / "y"], (), place(tmp_path))


def test_each_main_of_a_database_is_a_program_with_the_files_that_have_none(tmp_path: Path):
    source(tmp_path, "one.c", "int f(void); int main(void) { return f(); }\n")
    source(tmp_path, "two.c", "int main(void) { return N; }\n")
    source(tmp_path, "f.c", "int f(void) { return 0; }\n")
    entries = ", ".join(
        f'{{"directory": "{tmp_path}", "file": "{name}", "command": "cc -DN=7 -c {name}"}}'
        for name in ("one.c", "two.c", "f.c")
    )
    database = source(tmp_path, "compile_commands.json", f"[{entries}]")
    prepared = programs_of_database(database, place(tmp_path))
    assert [one.name for one in prepared.programs] == ["one", "two"]
    assert "ret i32 7" in code(prepared.programs[1].bitcode)


@pytest.mark.parametrize(("flags", "compiles"), [((), True), (("-std=c17",), False)])
def test_older_c_is_tried_only_where_nobody_chose_a_standard(
    tmp_path: Path, flags: tuple[str, ...], compiles: bool
):
    # A keyword since C99, a name before.
    path = source(tmp_path, "a.c", "int main(void) { int restrict = 0; return restrict; }\n")
    toolchain = bitcode_toolchain(Form.SROA, None, flags)
    assert toolchain.compile(path, tmp_path / "a.bc", ()).is_done == compiles


def test_a_program_is_the_same_whether_its_tools_are_loaded_once_or_started_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    paths = [source(tmp_path, "a.c", SQUARE + MAIN), source(tmp_path, "b.c", "int unused;\n")]
    made = [program_of_files(paths, place(tmp_path / "loaded")).programs[0].bitcode]
    monkeypatch.setattr("laxity.platform.loaded._places", lambda: iter(()))
    made.append(program_of_files(paths, place(tmp_path / "started")).programs[0].bitcode)
    loaded, started = (path.read_bytes() for path in made)
    assert loaded == started


def test_symbols_are_those_of_what_was_compiled_last(tmp_path: Path):
    toolchain = place(tmp_path).toolchain
    path, to = source(tmp_path, "a.c", "int first(void) { return 1; }\n"), tmp_path / "a.bc"
    assert toolchain.compile(path, to, []).is_done
    assert toolchain.symbols(to).defined == {"first"}
    path.write_text("int second(void) { return 2; }\n")
    assert toolchain.compile(path, to, []).is_done
    assert toolchain.symbols(to).defined == {"second"}


@pytest.mark.parametrize(
    ("producer", "advice"),
    [("22.1.8", "; make it with clang-19, or name the source"), ("19.1.7", ""), ("9.0.1", "")],
)
def test_who_wrote_bitcode_of_a_newer_llvm_is_told_what_to_do(producer: str, advice: str):
    # As llvm-link-19 said it of bitcode of clang 22; a damaged file names two old ones.
    error = (
        "a.bc: error: Unknown attribute kind (102) "
        f"(Producer: 'LLVM{producer}' Reader: 'LLVM 19.1.7')"
    )
    assert advice_on_versions(error) == advice
