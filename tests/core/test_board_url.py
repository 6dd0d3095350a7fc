# SPDX-FileCopyrightText: 2026 The laxity authors
# SPDX-License-Identifier: MIT
"""`--on ssh://…`: what is read, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laxity.core.board_url import BoardUrl, parse_board_url
from laxity.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ssh://board", BoardUrl("board")),
        ("ssh://root@10.0.0.7", BoardUrl("10.0.0.7", "root")),
        ("ssh://me@pi-4.lab:2222/opt/laxity", BoardUrl("pi-4.lab", "me", 2222, "/opt/laxity")),
        ("ssh://board/a b/$c'd", BoardUrl("board", directory="/a b/$c'd")),
        ("ssh://[fe80::1%eth0]:22", BoardUrl("[fe80::1%eth0]", port=22)),
    ],
)
def test_parts_are_read_and_written_again(text: str, url: BoardUrl):
    assert parse_board_url(text) == url
    assert str(url) == text


def test_final_slashes_are_no_directory():
    assert parse_board_url("ssh://board/") == BoardUrl("board")
    assert str(parse_board_url("ssh://board/opt//")) == "ssh://board/opt"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh://",
        "ssh:///opt",
        "ssh://@board",
        "ssh://-oProxyCommand=x",
        "ssh://-l@board",
        "ssh://a b",
        "ssh://board?x=1",
        "ssh://board/a\nb",
        "ssh://board:99999999",
        "SSH://board",
    ],
)
def test_what_ssh_would_misunderstand_is_refused(text: str):
    with pytest.raises(ConfigError):
        parse_board_url(text)


def test_port_is_between_1_and_65535():
    for port in (1, 65535):
        assert parse_board_url(f"ssh://board:{port}").port == port
    for port in (0, 65536):
        with pytest.raises(ConfigError, match=f"port {port} is not between 1 and 65535"):
            parse_board_url(f"ssh://board:{port}")


def test_password_is_not_repeated_as_advice():
    with pytest.raises(ConfigError, match="holds a password; give the board your ssh key"):
        parse_board_url("ssh://me:secret@board")


@given(st.text())
def test_any_text_is_read_or_refused(text: str):
    for candidate in (text, f"ssh://{text}", f"ssh://board/{text}"):
        try:
            url = parse_board_url(candidate)
        except ConfigError:
            continue
        assert parse_board_url(str(url)) == url
        assert not url.host.startswith("-")
