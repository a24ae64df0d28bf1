# Ctrl-C in a run of five methods: the four that are finished are kept, and even Hottopixx hears it at once.
PYTHONPATH=$CASES "$PYTHON" - <<'PY'
import json, os, random, resource, signal, subprocess, time
from processes import processor_time, wait_for
random.seed(2)
words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(2500)]
with open("many.txt", "w") as file:
    file.writelines(" ".join(random.choices(words, k=40)) + "\n" for _ in range(1500))
begin = ["conehull", "exemplars", "many.txt", "-r", "5", "--json", "--method"]
quick = "central,facility,kmeans,random"
def spent_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
subprocess.run(begin + [quick], stdout=subprocess.DEVNULL, check=True)
used = spent_by_children()
run = subprocess.Popen(begin + [quick + ",hottopixx", "-o", "out", "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
# Twice what the first four take: the fifth has begun, and takes minutes.
wait_for(lambda: processor_time(run.pid) > 2 * used, "hottopixx begins")
start, before = time.monotonic(), processor_time(run.pid)
run.send_signal(signal.SIGINT)
out, err = run.communicate(timeout=120)
spent = time.monotonic() - start
print(run.returncode, err.decode().strip())
worked = spent_by_children() - used - before
# one thread: a second by the clock is a second of work, on a machine that does nothing else
print("soon" if spent < 30 and worked < 1 else f"after {spent:.1f} s, {worked:.1f} s of work")
found = json.loads(out)
print(found["interrupted"], [one["method"] for one in found["results"]], sorted(os.listdir("out")))
PY
