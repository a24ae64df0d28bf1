# Ctrl-C in a run of several methods: what is finished is kept, and even Hottopixx hears it at once.
"$PYTHON" - <<'PY'
import json, os, random, signal, subprocess, time
random.seed(2)
words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(2500)]
with open("many.txt", "w") as file:
    file.writelines(" ".join(random.choices(words, k=40)) + "\n" for _ in range(1500))
run = subprocess.Popen(["conehull", "exemplars", "many.txt", "-r", "5", "--method", "facility,random,hottopixx", "-o", "out", "--json"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
time.sleep(6)
start = time.monotonic()
run.send_signal(signal.SIGINT)
out, err = run.communicate(timeout=120)
spent = time.monotonic() - start
print(run.returncode, err.decode().strip())
print("soon" if spent < 5 else f"after {spent:.1f} s")  # below 1 s on a machine that does nothing else
found = json.loads(out)
print(found["interrupted"], [one["method"] for one in found["results"]], sorted(os.listdir("out")))
PY
