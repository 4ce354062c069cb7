"""A listener with a maximum: whose connection goes when there are too many."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from krmkit.services.bounded import BoundedListener


@pytest.fixture
def listener() -> Iterator[BoundedListener]:
    """A listener with at most two connections."""
    made = BoundedListener.of(socket.create_server(("127.0.0.1", 0)), 2, "krmkit")
    yield made
    made.close()


def connected(listener: BoundedListener) -> tuple[socket.socket, socket.socket, object]:
    """A client, and the server's end of its connection with the client's address."""
    client = socket.create_connection(listener.getsockname())
    client.settimeout(5)
    listener.setblocking(True)
    connection, address = listener.accept()
    return client, connection, address


def test_connections_that_ended_before_a_call(
    listener: BoundedListener, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that the server closed during the handshake takes nobody's place, and nobody goes for it."""
    client, connection, address = connected(listener)
    for _ in range(4):
        short, ended, _ = connected(listener)
        ended.close()
        short.close()

    assert capsys.readouterr().err == ""
    connection.sendall(b"still there")
    assert client.recv(20) == b"still there"
    listener.called(address)
    client.close()
    connection.close()


def test_the_oldest_silent_one_goes(listener: BoundedListener, capsys: pytest.CaptureFixture[str]) -> None:
    """A third connection ends the one that waits longest without a call; who has called stays, and where all have, the new one goes."""
    first, kept, address = connected(listener)
    listener.called(address)
    second, silent, _ = connected(listener)
    third, other, third_address = connected(listener)

    assert second.recv(1) == b""
    assert (
        capsys.readouterr().err
        == "krmkit: all 2 connections are taken (--max-connections), so one without a call was closed\n"
    )
    listener.called(third_address)
    fourth = socket.create_connection(listener.getsockname())
    fourth.settimeout(5)
    with pytest.raises(BlockingIOError):
        listener.accept()
    assert fourth.recv(1) == b""
    listener.left(address)
    fifth, last, _ = connected(listener)
    for one in (first, second, third, fourth, fifth, kept, silent, other, last):
        one.close()
