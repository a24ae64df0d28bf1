#!/usr/bin/env python3
"""The server of `conehull live --page` and clients that mean no good: silent ones, slow ones, many at once, more than
there are descriptors. Others are answered meanwhile, and a stop does not wait for any of them.

    live_page_clients.py CONEHULL"""

import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time

import film

WIDTH, HEIGHT = 32, 24


def start(command, limit=None):
    def few_descriptors():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    run = subprocess.Popen([command, "live", "-", "--warm-up", "20", "--rank", "1", "--page", "0"], stdin=subprocess.PIPE,
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=few_descriptors if limit else None)
    run.stdin.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono\n" % (WIDTH, HEIGHT))
    for i in range(25):
        run.stdin.write(b"FRAME\n" + bytes(60 + (k * 7 + i) % 80 for k in range(WIDTH * HEIGHT)))
    run.stdin.flush()
    line = b""
    while b"watch it at" not in line:
        line = run.stderr.readline()
        assert line, "no page"
    return run, int(re.search(rb"http://127\.0\.0\.1:(\d+)/", line)[1])


def connect(port):
    return socket.create_connection(("127.0.0.1", port), 10)


def get(port, path):
    with connect(port) as client:
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        answer = b""
        while chunk := client.recv(65536):
            answer += chunk
    return answer


def asks_in_time(port, what):
    began = time.monotonic()
    assert get(port, "/state.json").startswith(b"HTTP/1.1 200 "), what
    return time.monotonic() - began


def stop(run, what):
    """At once, whoever is connected; a client's deadline is two seconds or more."""
    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    code = run.wait(60)
    took = time.monotonic() - began
    run.stdin.close()
    assert code == 130, f"{what}: code {code}"
    run.stderr.close()
    return took


def is_closed(client, seconds):
    """The server hangs up within that time, whatever the client sends meanwhile."""
    end = time.monotonic() + seconds
    client.settimeout(0.3)
    while time.monotonic() < end:
        try:
            client.sendall(b"X")
            if client.recv(1000) == b"":
                return True
        except TimeoutError:
            pass
        except OSError:
            return True
    return False


def cpu_seconds(run):
    with open(f"/proc/{run.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(command):
    film.needs(command)
    command = os.path.abspath(command)
    run, port = start(command)
    silent = [connect(port) for _ in range(20)]
    took = max(asks_in_time(port, "beside 20 silent clients") for _ in range(5))
    assert took < 2, f"beside 20 silent clients an answer takes {took:.1f} s"
    slow = connect(port)
    slow.sendall(b"GET / HTTP/1.1\r\n")
    assert is_closed(slow, 20), "a client that sends a byte now and then is served for ever"
    silent += [connect(port) for _ in range(20)]
    took = stop(run, "silent clients")
    assert took < 2, f"the stop waits for clients: {took:.1f} s"
    # more connections than descriptors: it goes on, and does not turn in a circle
    run, port = start(command, 40)
    crowd = [connect(port) for _ in range(60)]
    used = cpu_seconds(run)
    time.sleep(1)  # a span to measure over, not a wait
    used = cpu_seconds(run) - used
    assert used < 0.5, f"{used:.2f} s of processor time in a second without work"
    for client in crowd:
        client.close()
    asks_in_time(port, "after a crowd")
    stop(run, "a crowd")
    for client in silent:
        client.close()
    print("clients hold nobody up")


if __name__ == "__main__":
    main(*sys.argv[1:])
