# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""tools/release: what it makes is installed where nothing else of laxity is, and used."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.laxity_command import ROOT
from tests.tools.test_packages import locked

from laxity import __version__
from laxity.platform.bundle import arch_of_machine, read_archive

pytestmark = [pytest.mark.slow, pytest.mark.serial]

# Each part may fetch 200 MB, and compiles or compresses for minutes.
PATIENCE_S = 1800
# What a new user does first, in an empty directory.
FIRST_STEPS = """
set -e
cd "$(mktemp -d)"
laxity --version
laxity list
laxity doctor
laxity run empty -p 2ms -t 50 --allow-unprivileged
laxity demo --duration 2s
laxity show runs/*empty*
"""
# All that packages may put files into, without what programs write while they run.
LIST_FILES = "find /bin /etc /lib /opt /sbin /srv /usr | sort"
OLDER = f"""Package: laxity
Version: 0.0.9
Architecture: {{}}
Maintainer: nobody
Description: with a file that version {__version__} has not
"""


def run(*words: str | Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, (words, done.stdout[-4000:], done.stderr[-4000:])
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make all that is handed out, once."""
    output = tmp_path_factory.mktemp("dist")
    run(ROOT / "tools" / "release", output)
    return output


@pytest.fixture(scope="module")
def package(made: Path) -> Path:
    (path,) = made.glob("laxity_*.deb")
    return path


def check_first_steps(said: str) -> None:
    assert said.startswith(f"laxity {__version__}\n")
    assert "does nothing: shows harness, kernel and machine" in said
    # On a loaded machine an ordinary user's jobs are late, and more are released.
    assert re.search(r"\b[1-9]\d* released, 50 started", said)
    assert "A preemption costs" in said
    assert "scheduler trace" in said


def clean_environment(path: str) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("LAXITY_")}
    return {**kept, "PATH": path, "PYTHONPATH": ""}


def test_source_distribution_is_installed_by_pip_and_used(made: Path, tmp_path: Path):
    place = tmp_path / "environment"
    run(sys.executable, "-m", "venv", place)
    environment = clean_environment(f"{place / 'bin'}:/usr/bin:/bin")
    source = made / f"laxity-{__version__}.tar.gz"
    run(place / "bin" / "pip", "install", source, environment=environment)
    check_first_steps(run("bash", "-ec", FIRST_STEPS, environment=environment))
    done = subprocess.run(
        ["laxity", "run", "mem", "64KiB", "-p", "10ms", "-t", "1", "--platform", "sim:mpc750"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.endswith("; that takes a checkout of laxity, and this is an installation\n")


def test_wheel_names_the_distributions_that_it_runs_on(made: Path):
    names = [path.name for path in made.glob("*.whl")]
    assert len(names) <= 1
    assert all(re.search(r"-cp311-cp311-manylinux_2_\d+_\w+\.whl$", name) for name in names)


def test_bundles_for_boards_lie_beside_the_packages(made: Path):
    if run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"):
        pytest.skip("files differ from the last commit")
    names = {path.name for path in made.glob("laxity-board-*.tar.gz")}
    archs = ("aarch64", "armhf", "powerpc", "riscv64", arch_of_machine(os.uname().machine))
    assert names == {f"laxity-board-{__version__}-{arch}.tar.gz" for arch in archs}
    for name in names:
        assert read_archive(made / name)[0].version == __version__


def test_debian_package_has_no_scripts_and_says_what_it_needs(package: Path):
    control = run("bash", "-ec", 'dpkg-deb --ctrl-tarfile "$1" | tar t', "-", package).split()
    assert sorted(control) == ["./", "./control"]
    needs = run("dpkg-deb", "--field", package, "Depends")
    assert {"libc6", "libbpf1", "libpfm4", "libsqlite3-0", "python3"} <= set(names_in(needs))


def test_debian_package_names_each_package_inside_with_its_licence(package: Path):
    script = 'dpkg-deb --fsys-tarfile "$1" | tar xO ./usr/share/doc/laxity/copyright'
    told = run("bash", "-ec", script, "-", package).lower().replace("_", "-")
    parts = locked("run")
    del parts["meson"]  # It builds, and is not inside.
    for name, version in parts.items():
        assert re.search(rf"^{re.escape(f'{name} {version}: ')}\w", told, re.MULTILINE), name
    assert len(re.findall(r"^[\w.-]+ [\d.]+: ", told, re.MULTILINE)) == len(parts)


def names_in(needs: str) -> list[str]:
    return [one.split()[0] for one in needs.split(",")]


@pytest.fixture(scope="module")
def bare_root(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a Debian with nothing but what the package says that it needs."""
    if os.geteuid() != 0:
        pytest.skip("needs root to make a bare Debian")
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs permission to make a namespace")
    root = tmp_path_factory.mktemp("bare")
    root.chmod(0o755)
    needed = names_in(run("dpkg-deb", "--field", package, "Depends"))
    include = f"--include={','.join(dict.fromkeys(needed))}"
    codename = run("bash", "-c", '. /etc/os-release; echo "$VERSION_CODENAME"').strip()
    run("debootstrap", "--variant=minbase", include, codename, root)
    return root


def inside(root: Path, script: str, *words: str) -> str:
    """Run a script in a root; what it sees of the machine is unmounted when it ends."""
    enter = (
        'mount -t proc proc "$0/proc"; mount -t sysfs sysfs "$0/sys"; mount --rbind /dev "$0/dev";'
        'exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 chroot "$0" "$@"'
    )
    return run("unshare", "--mount", "bash", "-ec", enter, root, "bash", "-ec", script, "-", *words)


@pytest.fixture(scope="module")
def files_before(bare_root: Path) -> list[str]:
    inside(bare_root, "useradd --create-home tester")
    return inside(bare_root, LIST_FILES).splitlines()


@pytest.fixture(scope="module")
def installed(
    package: Path,
    bare_root: Path,
    files_before: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Install an older version, then the one that was made."""
    old = tmp_path_factory.mktemp("older")
    (old / "DEBIAN").mkdir()
    architecture = run("dpkg", "--print-architecture").strip()
    (old / "DEBIAN" / "control").write_text(OLDER.format(architecture), encoding="utf-8")
    (old / "usr" / "lib" / "laxity").mkdir(parents=True)
    (old / "usr" / "lib" / "laxity" / "of-old").touch()
    old.chmod(0o755)
    run("dpkg-deb", "--root-owner-group", "--build", old, bare_root / "older.deb")
    run("cp", package, bare_root / "new.deb")
    inside(bare_root, "dpkg --install /older.deb; test -e /usr/lib/laxity/of-old")
    assert files_before
    inside(bare_root, "dpkg --install /new.deb")
    return bare_root


def test_upgrade_removes_what_the_new_version_has_not(installed: Path):
    assert not (installed / "usr" / "lib" / "laxity" / "of-old").exists()


def test_ordinary_user_of_a_bare_debian_takes_the_first_steps(installed: Path):
    check_first_steps(inside(installed, 'su tester --command "$1"', FIRST_STEPS))


def test_root_takes_the_first_steps_and_leaves_no_file_in_the_package(installed: Path):
    before = inside(installed, LIST_FILES)
    check_first_steps(inside(installed, FIRST_STEPS))
    assert inside(installed, LIST_FILES) == before


def test_installed_files_have_no_rights_of_their_own(installed: Path):
    for path in (installed / "usr" / "lib" / "laxity").rglob("*"):
        assert not path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)
        assert "security.capability" not in os.listxattr(path, follow_symlinks=False)


def test_installed_headers_manual_and_completion_are_where_others_look(installed: Path):
    inside(installed, "test -e /usr/include/laxity/job.h")
    for name in (
        "share/man/man1/laxity-run.1.gz",
        "share/man/man8/laxity-trace.8.gz",
        "share/bash-completion/completions/laxity",
    ):
        assert (installed / "usr" / name).is_file()


def test_removal_leaves_nothing(installed: Path, files_before: list[str]):
    # The last test: the others need what is removed.
    inside(installed, "dpkg --remove laxity")
    assert inside(installed, LIST_FILES).splitlines() == files_before
