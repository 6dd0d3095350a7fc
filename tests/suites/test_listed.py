# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""A manifest and a checkout: words put in, files looked for, programs placed and vetted."""

import shutil
from pathlib import Path

import pytest

from laxity.errors import ConfigError
from laxity.suites.classify import Vetted
from laxity.suites.discover import discover
from laxity.suites.jobs import require_tools
from laxity.suites.manifest import read_manifest
from laxity.suites.observed import Mode
from laxity.suites.outfit import Context
from laxity.suites.program import Discovery, Program
from laxity.suites.toolchain import Toolchain
from laxity.suites.vetting import VetRequest, vet_all
from laxity.suites.vetting_file import inputs_hash

LISTED = Path(__file__).parent / "listed"
MANIFEST = LISTED / "listed.toml"
MAIN = "int main(void) { return 0; }\n"
JOBS = 3


def found(
    root: Path, build: Path, text: str, sizes: tuple[str, ...] = (), machine: str = ""
) -> Discovery:
    """Discover by a manifest that stands in the checkout."""
    build.mkdir(exist_ok=True)
    manifest = read_manifest(text.encode())
    context = Context(root.resolve(), root.resolve(), manifest, machine, sizes, "m.toml")
    return discover(root, build, Toolchain(), context)


def tree(root: Path, *names: str) -> Path:
    """Make a checkout whose C files are all mains."""
    for name in names:
        path = root / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MAIN if name.endswith(".c") else "1\n")
    return root / "tree"


def programs(root: Path, text: str, sizes: tuple[str, ...] = ()) -> dict[str, Program]:
    """Return the programs of a small checkout by name."""
    found_there = found(root / "tree", root / "build", f"schema = 1\n{text}", sizes)
    assert not found_there.left_out
    return {one.name: one for one in found_there.programs}


def test_lists_of_flags_add_up_and_other_keys_are_replaced(tmp_path: Path):
    tree(tmp_path, "p/p.c")
    text = """
    [suite]
    cflags = ["-DA"]
    std = "gnu89"
    args = ["of the suite"]
    [suite.sizes.small]
    cflags = ["-DB"]
    [[program]]
    name = "p"
    cflags = ["-DC"]
    std = "c99"
    [program.sizes.small]
    cflags = ["-DD"]
    args = ["of the size"]
    """
    program = programs(tmp_path, text)["p-small"]
    assert program.build.flags == ("-DA", "-DB", "-DC", "-DD", "-std=c99")
    assert program.given.words == ("of the size",)


def test_flags_of_a_target_hold_for_that_compiler_only(tmp_path: Path):
    root = tree(tmp_path, "p/p.c")
    text = 'schema = 1\n[suite.target.powerpc]\ncflags = ["-DP"]\n'
    flags = {
        machine: found(root, tmp_path / machine, text, (), machine).programs[0].build.flags
        for machine in ("powerpc-linux-gnu", "x86_64-linux-gnu")
    }
    assert flags == {"powerpc-linux-gnu": ("-DP",), "x86_64-linux-gnu": ()}


def test_a_job_sees_its_files_from_its_working_directory(tmp_path: Path):
    tree(tmp_path, "p/p.c", "p/a.txt", "data/b.txt", "p/known/c.txt")
    text = """
    [[program]]
    name = "p"
    args = ["{in}/a.txt", "--b={suite}/data/b.txt", "{tmp}/out", "{{x}}", "{folder}"]
    inputs = ["known/c.txt"]
    """
    given = programs(tmp_path, text)["p"].given
    assert given.words == ("in/a.txt", "--b=suite/data/b.txt", "./out", "{x}", "p")
    root = tmp_path / "tree"
    assert {one.name: Path(one.path) for one in given.inputs} == {
        "in/a.txt": root / "p/a.txt",
        "suite/data/b.txt": root / "data/b.txt",
        "known/c.txt": root / "p/known/c.txt",
    }


def test_sizes_of_the_suite_make_rows_of_discovered_programs(tmp_path: Path):
    tree(tmp_path, "p/p.c", "q/q.c")
    text = '[suite.sizes.small]\ncflags = ["-DN=1"]\n[suite.sizes.large]\ncflags = ["-DN=9"]\n'
    both = programs(tmp_path, text, ("large", "small"))
    assert list(both) == ["p-large", "p-small", "q-large", "q-small"]
    assert both["q-large"].build.flags == ("-DN=9",)
    # Without a choice it is the first one of the file.
    assert list(programs(tmp_path, text)) == ["p-small", "q-small"]


def test_a_program_without_the_size_that_is_asked_for_is_told(tmp_path: Path):
    root = tree(tmp_path, "p/p.c", "q/q.c")
    text = """
    schema = 1
    [[program]]
    name = "p"
    [program.sizes.small]
    [[program]]
    name = "q"
    [program.sizes.large]
    """
    there = found(root, tmp_path / "build", text, ("large",))
    assert [one.name for one in there.programs] == ["q-large"]
    assert [(one.path, one.reason) for one in there.left_out] == [("p", "has no size large")]


def test_a_folder_that_the_manifest_describes_is_not_discovered_as_well(tmp_path: Path):
    tree(tmp_path, "f/a.c", "f/b.c", "g/g.c")
    text = '[[program]]\nname = "mine"\nfolder = "f"\nsources = ["a.c"]\n'
    assert set(programs(tmp_path, text)) == {"mine", "g"}


def test_of_several_mains_the_one_that_the_manifest_is_about_is_replaced(tmp_path: Path):
    tree(tmp_path, "f/a.c", "f/b.c")
    both = programs(tmp_path, '[[program]]\nname = "b"\nargs = ["-x"]\n')
    assert {name: one.given.words for name, one in both.items()} == {"a": (), "b": ("-x",)}


def test_programs_are_discovered_in_the_folders_that_the_manifest_names(tmp_path: Path):
    tree(tmp_path, "k/a/a.c", "l/b/b.c")
    assert set(programs(tmp_path, '[suite]\nfolders = ["k"]\n')) == {"a"}


def test_everything_that_is_not_there_is_named_at_once_before_anything_is_compiled(tmp_path: Path):
    root = tree(tmp_path, "p/p.c")
    (root / "p" / "p.c").write_text("this does not compile\n")
    text = """
    schema = 1
    [suite]
    folders = ["gone"]
    [[program]]
    name = "a"
    folder = "p"
    sources = ["p.c", "lost.c"]
    force_include = ["{manifest}/shim.h"]
    [[program]]
    name = "b"
    folder = "p"
    include = ["headers"]
    force_include = ["{manifest}/shim.h"]
    """
    with pytest.raises(ConfigError) as error:
        found(root, tmp_path / "build", text)
    assert str(error.value).startswith("m.toml: not there: gone, shim.h, p/lost.c, p/headers; ")
    assert not list((tmp_path / "build").iterdir())


def test_all_inputs_that_a_program_lacks_are_named_and_the_others_go_on(tmp_path: Path):
    root = tree(tmp_path, "p/p.c", "q/q.c")
    text = """
    schema = 1
    [[program]]
    name = "p"
    stdin = "a.txt"
    args = ["{in}/b.txt", "{in}/b.txt"]
    inputs = ["{suite}/c.txt"]
    """
    there = found(root, tmp_path / "build", text)
    assert [one.name for one in there.programs] == ["q"]
    reason = there.left_out[0].reason
    assert reason.startswith("lacks its input: ")
    assert sorted(reason.removeprefix("lacks its input: ").split(", ")) == [
        "c.txt",
        "p/a.txt",
        "p/b.txt",
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('name = "p"\nargs = ["{out}/x"]', 'program "p": args: "{out}" stands for nothing here'),
        ('name = "p"\nargs = ["{size}"]', "it has no sizes"),
        ('name = "p"\nargs = ["{in}/../x"]', "leads out of its place"),
        ('name = "p"\ninputs = ["/etc/passwd"]', "leads out of its place"),
        ('name = "p"\nfolder = "../p"', "leads out of the checkout"),
        ('name = "pp"', 'no folder and no C file of this name in the checkout; did you mean "p"?'),
        ('name = "twice"', "there are several of this name: a/twice, b/twice; write its folder"),
    ],
)
def test_what_a_manifest_cannot_mean_is_refused(tmp_path: Path, text: str, reason: str):
    root = tree(tmp_path, "p/p.c", "a/twice/x.c", "b/twice/y.c")
    with pytest.raises(ConfigError) as error:
        found(root, tmp_path / "build", f"schema = 1\n[[program]]\n{text}\n")
    assert reason in str(error.value)


def test_a_listed_program_that_does_not_compile_is_left_out_with_the_compiler_s_words(
    tmp_path: Path,
):
    root = tree(tmp_path, "p/p.c")
    (root / "p" / "p.c").write_text("int main(void) { return wrong; }\n")
    there = found(root, tmp_path / "build", 'schema = 1\n[[program]]\nname = "p"\n')
    assert not there.programs
    assert there.left_out[0].path == "p"
    assert "p.c does not compile" in there.left_out[0].reason


def test_another_input_has_another_hash(tmp_path: Path):
    root = tree(tmp_path, "p/p.c", "p/a.txt", "shim.h")
    text = """
    [[program]]
    name = "p"
    stdin = "a.txt"
    force_include = ["{suite}/shim.h"]
    """
    (root / "shim.h").write_text("")
    program = programs(tmp_path, text)["p"]
    hashes = [inputs_hash(program)]
    for name in ("p/a.txt", "shim.h"):
        (root / name).write_text("other")
        hashes.append(inputs_hash(program))
    assert len(set(hashes)) == 3


# Mode of each; what it needs of the manifest is described at the top of its source.
EXPECTED: dict[str, Mode | None] = {
    "sums-small": Mode.NONE,
    "sums-large": Mode.NONE,
    "value": Mode.REINIT,
    "code": Mode.NONE,
    "sized-small": Mode.NONE,
    "sized-large": Mode.NONE,
    "first": Mode.NONE,
    "second": Mode.NONE,
    "stamp": Mode.RESTORE,  # it asks for its process number
    "forced": Mode.NONE,
    "named_region": Mode.NONE,
}


@pytest.fixture(scope="module")
def vetted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Vetted]:
    """The mini-programs of the manifest, vetted once."""
    return vetted_by(MANIFEST.read_text(), tmp_path_factory.mktemp("vet"))


def vetted_by(text: str, scratch: Path) -> dict[str, Vetted]:
    """Vet them by a manifest."""
    require_tools()
    there = found(LISTED, scratch / "discover", text, ("small", "large"))
    (scratch / "build").mkdir()
    request = VetRequest(LISTED, scratch / "build", Toolchain(), JOBS)
    return {one.program: one for one in vet_all(request, there.programs, lambda _: None)}


def test_every_listed_program_is_vetted(vetted: dict[str, Vetted]):
    assert set(vetted) == {*EXPECTED, "reads"}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_program_is_right_with_what_its_manifest_says(vetted: dict[str, Vetted], name: str):
    assert vetted[name].mode == EXPECTED[name], vetted[name].verdict


def test_a_program_reads_and_writes_files_in_a_directory_of_its_own(vetted: dict[str, Vetted]):
    assert vetted["reads"].mode == Mode.NONE, vetted["reads"].verdict
    assert not (LISTED / "reads" / "sum.txt").exists()


def test_watching_the_heap_does_not_look_like_work_of_a_job(vetted: dict[str, Vetted]):
    # It opens files, so it allocates: in mode restore each of that is remembered.
    assert vetted["reads"].classes == ("clean",), vetted["reads"].evidence


@pytest.mark.parametrize(
    ("name", "line", "reason"),
    [
        ("value", "", "its check returned 400, and 0 is right"),
        ("value", "check = 401", "its check returned 400, and 401 is right"),
        ("code", "", "a fresh process ends with returned 1"),
        ("code", "exit_code = 2", "a fresh process ends with returned 1, and 2 is right"),
        ("sums", "", "it reads standard input"),
        ("stamp", "", "two fresh processes have different results"),
        ("stamp", "output_filter = 'process'", "two fresh processes have different results"),
    ],
)
def test_a_program_is_wrong_with_another_manifest(
    tmp_path: Path, name: str, line: str, reason: str
):
    shutil.copytree(LISTED / name, tmp_path / "tree" / name)
    root, build = tmp_path / "tree", tmp_path / "build"
    there = found(root, tmp_path / "d", f'schema = 1\n[[program]]\nname = "{name}"\n{line}\n')
    build.mkdir()
    one = vet_all(VetRequest(root, build, Toolchain(), JOBS), there.programs, lambda _: None)[0]
    assert one.mode is None
    assert reason in one.verdict
