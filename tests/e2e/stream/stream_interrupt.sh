# stream: a signal ends standard input, also a silent one; of a file nothing is written.
"$PYTHON" "$CASES/make_inputs.py" long || exit
cat >stop.py <<'END'
import os, signal, subprocess, sys
sys.path.insert(0, os.environ["CASES"])
import processes
signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as it is behind `make test &`


def start(*words):
    return subprocess.Popen(["conehull", "stream", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def stop(run, name, is_ready):
    processes.wait_for(lambda: is_ready(run.pid), "it is ready")
    assert run.poll() is None, "too short to interrupt"
    run.send_signal(getattr(signal, name))
    code = run.wait(60)  # while the pipe is open
    print(name, code, run.stdout.read().decode().split("\n")[:2])
    run.stdin.close()


for name, lines in ("SIGINT", b"1,0,0\n0,1,0\n.5,.5,0\n0,0"), ("SIGTERM", b"0,0,1\n1"):
    run = start("-", "-r", "2", "--state", "week", "-o", "out", "--every", "1")
    run.stdin.write(lines)  # the last one breaks off
    run.stdin.flush()
    for _ in range(lines.count(b"\n")):
        print(run.stdout.readline().decode().strip())
    stop(run, name, processes.waits)
    print(sorted(os.listdir("out")), os.path.getsize("week") > 0)
stop(start("-", "-r", "2", "--state", "none", "-o", "none"), "SIGINT", processes.waits)
stop(start("long.npy", "-r", "100", "--store", "2000", "--state", "none", "-o", "none"), "SIGINT", processes.works)
END
"$PYTHON" stop.py
ls -A
