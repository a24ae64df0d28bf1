# A stopped run goes on where it was, to the same bytes; the claims file has a verdict for every claim.
conehull reproduce
conehull reproduce recovery-x -o out
conehull reproduce video -o out
conehull reproduce recovery-is
conehull reproduce recovery-is -o missing/out
touch file && conehull reproduce recovery-is -o file
echo "= $?"
"$PYTHON" - <<'EOF'
import json, os, signal, subprocess, time

WORDS = ["conehull", "reproduce", "recovery-is", "--quick", "--runs", "1", "--quiet", "-o"]
FILES = ("recovery-is.csv", "recovery-is.svg")


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


subprocess.run(WORDS + ["whole"], check=True, stdout=subprocess.DEVNULL)

# Interrupted once an outcome is kept (the first line is the build's).
run = subprocess.Popen(WORDS + ["parts"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while run.poll() is None and not (os.path.exists("parts/units.jsonl") and read("parts/units.jsonl").count("\n") > 1):
    time.sleep(0.02)
run.send_signal(signal.SIGINT)
print("interrupted:", run.wait(), sorted(os.listdir("parts")))
lines = read("parts/units.jsonl").splitlines(keepends=True)
assert 2 <= len(lines) < 6, len(lines)

# And cut in the middle of a line, as a crash might leave it.
kept = lines[1]
with open("parts/units.jsonl", "w", encoding="utf-8") as file:
    file.write("".join(lines[:2]) + kept[:40])
subprocess.run(WORDS + ["parts"], check=True, stdout=subprocess.DEVNULL)
assert read("parts/units.jsonl").splitlines(keepends=True)[1] == kept, "a finished unit was done again"
assert read("parts/units.jsonl").count("\n") == 6
for name in FILES:
    assert read(f"parts/{name}") == read(f"whole/{name}"), name
print("resumed: the same", *FILES)

claims = json.load(open("whole/claims.json", encoding="utf-8"))["claims"]
print(len(claims), "claims,", len({claim["id"] for claim in claims}), "names")
for claim in claims:
    assert claim["verdict"] in ("holds", "differs", "fails", "not run"), claim
    assert claim["claim"] and claim["rule"], claim
    assert (claim["verdict"] == "not run") == (claim["measured"] == ""), claim
    assert claim["figure"] in (None, "recovery-l1", "recovery-is", "recovery-kl"), claim
print("measured:", *[claim["id"] for claim in claims if claim["measured"]])
figure = json.load(open("whole/recovery-is.json", encoding="utf-8"))
print(sorted(figure), sorted(figure["machine"]))
EOF
