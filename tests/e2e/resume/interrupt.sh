# Ctrl-C and SIGTERM stop a long run with code 130 and leave no file; a second signal ends it at once.
"$PYTHON" "$CASES/make_inputs.py" long || exit
cat >../stop.py <<'END'
import os, signal, subprocess, sys
sys.path.insert(0, os.environ["CASES"])
import processes

run = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)
processes.wait_for(lambda: processes.works(run.pid, 0.5), "it works")
assert run.poll() is None, "too short to interrupt"
if sys.argv[1] == "twice":
    processes.end_at_once(run)
else:
    run.send_signal(getattr(signal, sys.argv[1]))
out = run.communicate(timeout=60)[0]
print(sys.argv[1], run.returncode, out)
END
for number in SIGINT SIGTERM; do
    "$PYTHON" ../stop.py $number conehull anchors long.npy -r 1500 -o out
    "$PYTHON" ../stop.py $number conehull anchors long.npy -r 1500 -o out --json --method spa --loss l2
done
"$PYTHON" ../stop.py twice conehull anchors long.npy -r 1500 -o out
ls -A
