# Ctrl-C in a run of several methods: what is finished is kept, and even Hottopixx hears it at once.
PYTHONPATH=$CASES "$PYTHON" - <<'PY'
import json, os, random, resource, signal, subprocess, time
from processes import processor_time, wait_for
random.seed(2)
words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(2500)]
with open("many.txt", "w") as file:
    file.writelines(" ".join(random.choices(words, k=40)) + "\n" for _ in range(1500))
begin = ["conehull", "exemplars", "many.txt", "-r", "5", "--json", "--method"]
subprocess.run(begin + ["facility,random"], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
run = subprocess.Popen(begin + ["facility,random,hottopixx", "-o", "out"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
# Twice what the first two take: the third has begun, and takes minutes.
wait_for(lambda: processor_time(run.pid) > 2 * (used.ru_utime + used.ru_stime), "hottopixx begins")
start = time.monotonic()
run.send_signal(signal.SIGINT)
out, err = run.communicate(timeout=120)
spent = time.monotonic() - start
print(run.returncode, err.decode().strip())
print("soon" if spent < 5 else f"after {spent:.1f} s")  # below 1 s on a machine that does nothing else
found = json.loads(out)
print(found["interrupted"], [one["method"] for one in found["results"]], sorted(os.listdir("out")))
PY
