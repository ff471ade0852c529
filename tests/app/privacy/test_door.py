"""The one opening in the network's door lets through what was named, and nothing else."""

import subprocess
import sys

import pytest

from app.errors import PolicyError
from app.privacy import network
from app.privacy.door import Door


def test_nothing_is_open_at_first() -> None:
    assert not Door().lets_through("connect", "example.com")


def test_a_named_host_and_what_its_look_up_found_are_open() -> None:
    door = Door()
    door.open("Example.com")
    look_up = door.remembering(lambda host, *_: [(2, 1, 6, "", ("192.0.2.7", 443))])
    look_up("other.example", 443)
    assert not door.lets_through("connect", "192.0.2.7")
    look_up(b"example.com", 443)
    assert door.lets_through("look-up", "example.com.")
    assert door.lets_through("connect", "192.0.2.7")
    assert not door.lets_through("connect", "192.0.2.8")
    assert not door.lets_through("look-up", "sub.example.com")


@pytest.mark.parametrize("what", ["send", "listen"])
def test_an_open_host_is_only_connected_to(what: str) -> None:
    door = Door()
    door.open("192.0.2.7")
    assert not door.lets_through(what, "192.0.2.7")


def test_a_process_without_a_door_permits_nothing() -> None:
    with pytest.raises(PolicyError):
        network.permit("example.com", "test")


CHILD = """
import socket, sys
from app.privacy import network
network.watch(None, process="test", has_door=True)
network.permit("192.0.2.7", "test")
stream = socket.socket()

def judged(event, *arguments):
    try:
        sys.audit(event, *arguments)
    except network.ConnectionRefused:
        return "refused"
    return "let through"

print(judged("socket.connect", stream, ("192.0.2.7", 443)))
print(judged("socket.connect", stream, ("192.0.2.8", 443)))
print(judged("socket.getaddrinfo", "example.com", 443, 0, 0, 0))
print(judged("socket.bind", stream, ("192.0.2.7", 443)))
print(socket.getaddrinfo("127.0.0.1", 80)[0][4][0])
"""


def test_the_hook_asks_the_door() -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:-1] == [
        "let through",
        "refused",
        "refused",
        "refused",
        "127.0.0.1",
    ]
