"""What guards the server from being taken for another process, and its port and password from others."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from dreamhook.store import credentials, ports, process, state

SLEEP = "print(flush=True); import time; time.sleep(600)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEP


@pytest.fixture
def sleeper(request):
    mark, program = f"@mark {os.urandom(6).hex()}", getattr(request, "param", SLEEP)
    running = subprocess.Popen([sys.executable, "-c", program, mark], stdout=subprocess.PIPE)
    running.stdout.readline()
    yield running, mark
    running.kill()
    running.wait()
    running.stdout.close()


def test_a_process_is_found_by_its_command_line_without_its_number(sleeper):
    running, mark = sleeper
    assert process.find(mark) == running.pid
    assert process.find(mark, hint=running.pid) == running.pid


def test_a_number_that_now_belongs_to_another_process_is_not_believed(sleeper):
    running, mark = sleeper
    assert process.find("@something-else", hint=running.pid) is None
    assert process.find(mark, hint=os.getpid()) == running.pid


def test_ending_leaves_another_process_with_that_number_alone(sleeper):
    running, _ = sleeper
    process.end("@something-else", running.pid, seconds=1)
    assert running.poll() is None


def test_ending_asks_first(sleeper):
    running, mark = sleeper
    process.end(mark, running.pid, seconds=30)
    assert running.wait() == -signal.SIGTERM


@pytest.mark.parametrize("sleeper", [STUBBORN], indirect=True)
def test_ending_kills_what_does_not_listen(sleeper):
    running, mark = sleeper
    process.end(mark, running.pid, seconds=0.2)
    assert running.wait() == -signal.SIGKILL


def test_a_zombie_counts_as_gone(sleeper):
    running, mark = sleeper
    running.kill()
    os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)
    assert process.find(mark, hint=running.pid) is None


def test_a_used_port_gives_another_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        used = taken.getsockname()[1]
        assert ports.free(used) != used
        assert ports.answers(used)


def test_two_ports_of_one_server_differ():
    first = ports.free(0)
    assert ports.free(first, (first,)) != first


def test_the_initial_login_is_what_the_servers_own_tool_writes():
    # neo4j-admin dbms set-initial-password testtest1 (5.26.30) wrote this line.
    salt = bytes.fromhex("7229c28df9b3c936d2bb3e949c2ca4b7ac4d23140e67f73c6a66b6b636c28ba6")
    assert credentials.initial_login("testtest1", salt) == (
        "neo4j:SHA-256,378dc7a4aae85e4adb8474ceb2ec1e6f942a952defa868aeb951f8fd63b97bd7,"
        "7229c28df9b3c936d2bb3e949c2ca4b7ac4d23140e67f73c6a66b6b636c28ba6,1024:\n"
    )


def test_a_password_is_random_private_and_stays():
    credentials.prepare(state.home())
    file = state.home() / "password"
    first = file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(first.strip()) == 32
    credentials.prepare(state.home())
    assert file.read_text() == first
    assert first.strip() not in (state.home() / "data" / "dbms" / "auth.ini").read_text()
