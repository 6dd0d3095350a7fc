# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/setup-set and tools/bootstrap.sh, as far as they change nothing."""

import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_bash(
    tree: Path, script: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Source the bootstrap of `tree` and run `script`, without sudo and without a terminal."""
    return subprocess.run(
        ["/bin/bash", "-uc", f'root="{tree}"; source "$root/tools/bootstrap.sh"; {script}'],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", **(environment or {})},
        check=False,
    )


def run_setup_set(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "tools" / "setup-set", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a tree that holds the bootstrap and nothing else."""
    shutil.copytree(
        ROOT / "tools", tmp_path / "tools", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "deps", tmp_path / "deps")
    return tmp_path


def test_list_names_every_set_with_its_purpose() -> None:
    done = run_setup_set("--list")
    listed = {line.split("\t")[0]: line.split("\t")[2] for line in done.stdout.splitlines()}
    assert set(listed) == {path.stem for path in (ROOT / "deps" / "debian-12").glob("*.txt")}
    assert all(listed.values())


# Sets with Python packages leave their stamp with these, libraries with the build, others with
# Debian's packages.
@pytest.mark.parametrize(
    ("name", "stamp"),
    [
        ("docs", ".venv/.stamp-python-docs"),
        ("sim", "build/sets/sim/.stamp-set"),
        ("host", "build/.stamp-host"),
        ("cxx", ".venv/.stamp-debian-cxx"),
    ],
)
def test_list_tells_a_set_that_is_installed_whatever_it_consists_of(
    tree: Path, name: str, stamp: str
) -> None:
    def state() -> str:
        done = subprocess.run(
            [tree / "tools" / "setup-set", "--list"], capture_output=True, text=True, check=True
        )
        return {line.split("\t")[0]: line.split("\t")[1] for line in done.stdout.splitlines()}[name]

    # Its Debian packages alone are the first step of all.
    (tree / ".venv").mkdir()
    if name != "cxx":
        (tree / ".venv" / f".stamp-debian-{name}").touch()
    assert state() == "not installed"
    (tree / stamp).parent.mkdir(parents=True, exist_ok=True)
    (tree / stamp).touch()
    assert state() == "installed"


def test_every_python_lock_belongs_to_a_set() -> None:
    locks = {path.stem for path in (ROOT / "deps" / "python").glob("*.lock")}
    assert locks <= {path.stem for path in (ROOT / "deps" / "debian-12").glob("*.txt")}


def test_unknown_set_exits_3_and_names_the_known_ones() -> None:
    done = run_setup_set("nonsense")
    assert done.returncode == 3
    assert re.fullmatch(
        r'laxity setup: set "nonsense": this build has no such set; choose one of: .*\brun\b.*\n',
        done.stderr,
    )


@pytest.mark.parametrize("arguments", [[], ["run", "check"], ["--frobnicate"], ["../run"], [""]])
def test_wrong_usage_exits_2(arguments: list[str]) -> None:
    assert run_setup_set(*arguments).returncode == 2


def test_both_locks_agree_on_every_version_they_share() -> None:
    def versions(name: str) -> dict[str, str]:
        text = (ROOT / "deps" / "python" / f"{name}.lock").read_text(encoding="utf-8")
        return dict(re.findall(r"^([\w.-]+)==(\S+)", text, flags=re.MULTILINE))

    assert versions("run").items() <= versions("check").items()


def test_locks_and_lists_name_no_host() -> None:
    for path in (ROOT / "deps").rglob("*"):
        if path.is_file():
            assert "://" not in path.read_text(encoding="utf-8"), path


def test_packages_are_read_without_comments(tree: Path) -> None:
    (tree / "list.txt").write_text("# all\n\ngcc  # compiler\ngit make\n", encoding="utf-8")
    done = run_bash(tree, 'read_packages "$root/list.txt"; printf "%s\\n" "${packages[@]}"')
    assert done.stdout.split() == ["gcc", "git", "make"]


def test_missing_package_is_told_from_an_installed_one(tree: Path) -> None:
    done = run_bash(tree, 'missing_packages bash no-such-package; printf "%s\\n" "${packages[@]}"')
    assert done.stdout.split() == ["no-such-package"]


def test_missing_package_without_root_and_sudo_exits_3_with_the_command_to_type(tree: Path) -> None:
    (tree / "deps" / "debian-12" / "run.txt").write_text("no-such-package\n", encoding="utf-8")
    # EUID is read-only in bash: the branch is taken by a copy that asks for another variable.
    script = tree / "tools" / "bootstrap.sh"
    script.write_text(
        script.read_text(encoding="utf-8").replace("$EUID", "$FAKE_EUID"), encoding="utf-8"
    )
    (tree / "bin").mkdir()
    for tool in ("apt-get", "dpkg-query", "sha256sum", "cat", "mkdir", "flock", "bash"):
        found = shutil.which(tool)
        assert found is not None
        (tree / "bin" / tool).symlink_to(found)
    done = run_bash(
        tree,
        "setup_lock; setup_set run",
        {"PATH": str(tree / "bin"), "FAKE_EUID": "1000"},
    )
    assert done.returncode == 3
    assert "missing: no-such-package" in done.stderr
    assert (
        "type as root: apt-get update && "
        "apt-get install -y --no-install-recommends no-such-package\n"
    ) in done.stderr


def test_named_interpreter_that_cannot_make_environments_exits_3(tree: Path) -> None:
    done = run_bash(tree, "find_python", {"LAXITY_PYTHON": "/bin/true/none"})
    assert done.returncode == 3
    assert "LAXITY_PYTHON=/bin/true/none" in done.stderr


@pytest.mark.parametrize(
    ("files", "said"),
    [
        # A directory where a file should be, or the reverse, keeps root out, too.
        (
            [".setup"],
            r"\S+ cannot be written to \(.+\); run as its owner, or set it up as its owner first",
        ),
        (
            [".setup/log", ".setup/lock/is_no_file"],
            r"cannot open \S+/\.setup/lock \(Is a directory\); run as the owner of the tree",
        ),
    ],
)
def test_tree_that_cannot_be_locked_says_one_line_and_nothing_of_the_shells(
    tree: Path, files: list[str], said: str
) -> None:
    for file in files:
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        (tree / file).touch()
    done = run_bash(tree, "setup_lock")
    assert done.returncode == 3
    assert re.fullmatch(f"laxity setup: lock: {said}\n", done.stderr), done.stderr


def test_environment_of_another_tree_that_is_linked_to_is_left_alone(tree: Path) -> None:
    other = tree / "other"
    other.mkdir()
    (other / "mine").touch()
    (tree / ".venv").symlink_to(other)
    done = run_bash(tree, "setup_lock; setup_venv run")
    assert done.returncode == 0, done.stderr
    assert [one.name for one in other.iterdir()] == ["mine"]
    assert (tree / ".venv" / "bin" / "python").exists()
    assert not (tree / ".venv").is_symlink()


def test_failing_step_shows_its_output_and_exits_3(tree: Path) -> None:
    done = run_bash(tree, "setup_lock; setup_run step 'do this' bash -c 'echo boom; exit 1'")
    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "boom",
        "laxity setup: step: failed, its last lines are above; do this",
    ]


def test_second_set_up_waits_for_the_first(tree: Path) -> None:
    (tree / ".setup").mkdir()
    (tree / ".setup" / "log").touch()
    script = (
        'exec 8<>"$root/.setup/lock"; flock 8; (setup_lock; echo second) 8>&- & '
        "sleep 0.3; echo first; flock -u 8; wait"
    )
    done = run_bash(tree, script)
    assert done.stdout.split() == ["first", "second"]


# Another set-up holds a lock for 9 s; commands that wait for it say so.
def held(lock: str) -> str:
    return (
        f'mkdir -p "$root/.setup"; (take_lock {lock}; touch "$root/held"; exec sleep 9) & '
        "while [[ ! -e $root/held ]]; do sleep 0.01; done; "
    )


HELD = held("lock")
# What the Python packages of the run set leave behind them.
INSTALLED = (
    'mkdir -p "$root/.venv/bin"; ln -s /bin/true "$root/.venv/bin/python"; checksum '
    '"$root/deps/python/run.lock"; echo "$reply" >"$root/.venv/.stamp-python-run"; echo "$root '
    '$(readlink -f "$root/.venv/bin/python")" >"$root/.venv/.stamp-venv"; '
)
GOES_ON = "echo went on; kill $!"


@pytest.mark.parametrize("words", ["", "--help", "run -h", "--version", "list", "doctor"])
def test_words_wait_for_nobody_who_has_the_packages_already(tree: Path, words: str) -> None:
    done = run_bash(tree, f"{HELD}{INSTALLED}setup_for {words}; {GOES_ON}")
    assert (done.stdout, done.stderr) == ("went on\n", "")


def test_completion_waits_for_nobody_and_compiles_nothing(tree: Path) -> None:
    words = "export _LAXITY_COMPLETE=bash_complete; setup_for run mem"
    done = run_bash(tree, f"{HELD}{INSTALLED}{words}; {GOES_ON}")
    assert (done.stdout, done.stderr) == ("went on\n", "")


def test_packages_of_another_set_do_not_keep_help_waiting(tree: Path) -> None:
    installing = "echo check >$root/.venv/.installing; "
    done = run_bash(tree, f"{HELD}{INSTALLED}{installing}setup_for --help; {GOES_ON}")
    assert (done.stdout, done.stderr) == ("went on\n", "")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (INSTALLED, "run mem"),
        # A word of the program.
        (INSTALLED, "run --exec prog --help"),
        ("", "--help"),
        (f"{INSTALLED}echo run >$root/.venv/.installing; ", "--help"),
        (f"{INSTALLED}echo of an older list >$root/.venv/.stamp-python-run; ", "list"),
    ],
)
def test_what_is_not_there_yet_is_waited_for(tree: Path, state: str, words: str) -> None:
    said = "for n in {1..800}; do grep -q . $root/said && break; sleep 0.01; done; cat $root/said"
    script = f"{HELD}{state}(setup_for {words}) 2>$root/said & {said}; kill $(jobs -p)"
    told = run_bash(tree, script).stdout
    assert re.fullmatch(
        r"laxity setup: process \d+ \(.*\) has held \.setup/lock since \d\d:\d\d:\d\d; "
        r"waiting for its end\n",
        told,
        re.DOTALL,
    ), told


# Debian's packages and the native build of the run set, done.
BUILT = (
    'mkdir -p "$root/build/meson-private" "$root/bin"; echo "$root" >"$root/build/.stamp-build"; '
    'touch "$root"/build/{build.ninja,meson-private/coredata.dat}; export LAXITY_PACKAGES=trust; '
    """printf '%s\\n' '#!/bin/sh' 'echo "$*" >>"${0%/bin/ninja}/asked"' """
    """'echo "ninja: no work to do."' """
    '>"$root/bin/ninja"; '
    'chmod +x "$root/bin/ninja"; PATH="$root/bin:$PATH"; '
)


@pytest.mark.parametrize("words", ["run mem", "bound set.toml", "demo", "profile wcet", ""])
def test_command_waits_for_no_set_up_where_all_that_it_needs_is_there(
    tree: Path, words: str
) -> None:
    done = run_bash(tree, f"{HELD}{INSTALLED}{BUILT}setup_for {words}; {GOES_ON}")
    assert (done.stdout, done.stderr) == ("went on\n", "")
    # Another set-up may be compiling: only a look is allowed.
    asked = (tree / "asked").read_text(encoding="utf-8") if (tree / "asked").exists() else ""
    assert all(line.startswith("-n ") for line in asked.splitlines())


@pytest.mark.parametrize("lock", ["lock-workingset", "lock-sim"])
@pytest.mark.parametrize("words", ["run mem", "bound set.toml", "demo", "setup"])
def test_command_takes_no_notice_of_a_set_that_is_compiling(
    tree: Path, words: str, lock: str
) -> None:
    done = run_bash(tree, f"{held(lock)}{INSTALLED}{BUILT}setup_for {words}; {GOES_ON}")
    assert (done.stdout, done.stderr) == ("went on\n", "")


@pytest.mark.parametrize("words", ["setup", "setup --with sim", "setup --completion bash"])
def test_setup_takes_no_lock_and_compiles_nothing(tree: Path, words: str) -> None:
    done = run_bash(tree, f"{INSTALLED}{BUILT}setup_for {words}; echo went on")
    assert (done.stdout, done.stderr) == ("went on\n", "")
    assert not (tree / ".setup").exists()
    assert not (tree / "asked").exists()


# A set-up is killed while it fetches packages, installs those of Python, configures a set, compiles
# it, or before it writes its stamp.
@pytest.mark.parametrize(
    "left",
    [
        ': >"$root/.setup/lock"',
        'echo check >"$root/.venv/.installing"',
        'mkdir -p "$root/build/sets/workingset/meson-private"',
        'mkdir -p "$root/build/sets/sim/meson-private"; '
        'touch "$root"/build/sets/sim/{build.ninja,meson-private/coredata.dat}',
        'mkdir -p "$root/build/sets/sim/sim"; touch "$root/build/sets/sim/sim/laxity-sim"',
    ],
    ids=["packages", "python", "configuring", "compiling", "unstamped"],
)
@pytest.mark.parametrize("words", ["run mem", "bound set.toml", "setup"])
def test_set_up_that_was_killed_leaves_other_commands_as_they_were(
    tree: Path, left: str, words: str
) -> None:
    # Packages of Debian and Python would be asked for by programs that are not here.
    packages = f'mkdir -p "$root/.setup"; printf {"0" * 64} >$root/x; '
    done = run_bash(tree, f"{packages}{INSTALLED}{BUILT}{left}; setup_for {words}; echo went on")
    assert (done.stdout, done.stderr) == ("went on\n", "")
    asked = (tree / "asked").read_text(encoding="utf-8") if (tree / "asked").exists() else ""
    assert "sets" not in asked


def test_set_that_is_being_compiled_keeps_those_waiting_that_need_it(tree: Path) -> None:
    needed = (
        f'mkdir -p "$root/build/sets/sim"; echo "$root" >"$root/build/sets/sim/.stamp-set"; '
        f"{held('lock-sim')}{INSTALLED}{BUILT}"
    )
    # A build that is up to date is used, whoever holds the lock.
    done = run_bash(
        tree, f"{needed}touch $root/build/sets/sim/build.ninja; refresh_set sim; {GOES_ON}"
    )
    assert (done.stdout, done.stderr) == ("went on\n", "")
    (tree / "build" / "sets" / "sim" / "build.ninja").unlink()
    (tree / "held").unlink()
    script = (
        f"{needed}(refresh_set sim) 2>$root/said & "
        "for n in {1..800}; do grep -q . $root/said && break; sleep 0.01; done; cat $root/said; "
        "kill $(jobs -p)"
    )
    assert re.search(r"has held \.setup/lock-sim since .*; waiting", run_bash(tree, script).stdout)


def test_holder_of_a_lock_is_named_on_one_line_that_commands_no_terminal(tree: Path) -> None:
    (tree / "laxity").write_text('source "$root/tools/bootstrap.sh"; take_lock lock\n')
    # ESC and the end of a line in the command's first argument; later arguments are left out.
    words = "bash $root/laxity $'run\\e[31m\\nx' secret; cat $root/.setup/lock"
    told = run_bash(tree, f"export root; {words}").stdout
    assert re.fullmatch(
        r"process \d+ \(laxity \$'run\\E\[31m\\nx'\) has held \.setup/lock since [\d:]{8}\n", told
    ), told


NINJA = r"ninja: Entering b\n[0/1] x\n1/3 Compiling a.c\nFAILED: b.o\nb.c:1: no\n2/3 c\n"


def test_of_a_build_what_failed_stays_and_a_quick_one_says_no_more(tree: Path) -> None:
    done = run_bash(tree, f'printf "{NINJA}" | setup_count')
    assert done.stdout == "[0/1] x\nFAILED: b.o\nb.c:1: no\n"
    assert done.stderr == ""


def test_a_terminal_shows_how_far_a_build_is(tree: Path) -> None:
    (tree / "count").write_text(
        f'root="{tree}"; source "$root/tools/bootstrap.sh"; printf "{NINJA}" | setup_count >x',
        encoding="utf-8",
    )
    done = subprocess.run(
        ["script", "-qec", f"cd {tree} && bash count", "/dev/null"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True,
    )  # fmt: skip
    # Read as text, a return to the start of the line is a new line.
    assert done.stdout == (
        "\n\033[Klaxity setup: compiling, 1 of 3\n\033[Klaxity setup: compiling, 2 of 3\n\033[K"
    )


def test_what_a_failing_step_said_commands_no_terminal(tree: Path) -> None:
    # ESC, the end of a line, CSI of C1; letters beyond ASCII and tabs stay.
    said = r"printf 'a\033[31m\302\233\tä…\n'; exit 1"
    done = run_bash(tree, f"setup_lock; setup_run step 'do this' bash -c \"{said}\"")
    assert done.stderr.splitlines()[0] == "a?[31m?\tä…"


def test_working_sets_are_compiled_only_where_they_are_asked_for() -> None:
    """Whoever has LLVM for another reason would wait for twenty minutes at the first start."""
    meson = ROOT / ".venv" / "bin" / "meson"
    done = subprocess.run(
        [meson, "introspect", "--buildoptions", ROOT / "meson.build"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    values = {one["name"]: one["value"] for one in json.loads(done.stdout)}
    assert (values["workingset"], values["sim"]) == ("disabled", "disabled")
    # Of the rest nothing takes longer than looking for it.
    assert (values["bpf"], values["pfm"], values["host_workloads"]) == ("auto", "auto", "auto")


@pytest.mark.parametrize(
    ("stamps", "words"),
    [
        ((), "setup BUILD TREE"),
        ((".stamp-build",), "setup BUILD TREE"),
        ((".stamp-build", ".stamp-workingset"), "setup BUILD TREE"),
        ((".stamp-sim",), "setup BUILD TREE"),
    ],
    ids=["first start", "moved", "moved with working sets", "sets of an older build"],
)
def test_build_of_all_commands_has_no_sets(tree: Path, stamps: tuple[str, ...], words: str) -> None:
    for stamp in stamps:
        (tree / "build" / "workingset").mkdir(parents=True, exist_ok=True)
        (tree / "build" / "workingset" / "laxity-workingset").touch()
        (tree / "build" / "sets" / "sim").mkdir(parents=True, exist_ok=True)
        (tree / "build" / stamp).write_text("/elsewhere\n", encoding="utf-8")
    meson = tree / ".venv" / "bin" / "meson"
    meson.parent.mkdir(parents=True)
    meson.write_text('#!/bin/sh\nmkdir -p "$2"\necho "$*" >>"$2/asked"\n', encoding="utf-8")
    meson.chmod(0o755)
    (tree / "bin").mkdir()
    (tree / "bin" / "ninja").symlink_to("/bin/true")
    done = run_bash(
        tree,
        "setup_lock; setup_build",
        {"PATH": f"{tree}/bin:/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    asked = (tree / "build" / "asked").read_text(encoding="utf-8")
    assert asked.replace(f"{tree}/build", "BUILD").replace(str(tree), "TREE") == f"{words}\n"
    # Its tool would be found before that of the set's own build, which is left alone.
    assert not (tree / "build" / "workingset").exists()
    assert (tree / "build" / "sets" / "sim").exists() == bool(stamps)
