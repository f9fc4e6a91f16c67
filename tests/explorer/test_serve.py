import pytest

from runout.errors import ExecutionError
from runout.explorer.serve import listen


def test_loopback_needs_no_token_and_has_three_names():
    listener = listen("127.0.0.1", 0)
    listener.socket.close()
    assert listener.is_loopback
    assert listener.names == {"127.0.0.1", "localhost", "::1"}
    assert listener.url() == f"http://127.0.0.1:{listener.port}/"


def test_beyond_loopback_the_address_has_the_token():
    listener = listen("0.0.0.0", 0)
    listener.socket.close()
    assert not listener.is_loopback
    assert listener.names == frozenset()
    assert listener.url("secret").endswith("/?token=secret")


def test_the_next_free_port_is_taken_if_none_is_asked_for():
    first, second = listen("127.0.0.1", None), listen("127.0.0.1", None)
    first.socket.close()
    second.socket.close()
    assert first.port != second.port


def test_an_address_of_another_machine_is_refused():
    with pytest.raises(ExecutionError, match="cannot be listened to"):
        listen("192.0.2.1", 0)
