# A stopped run goes on where it was, to the same bytes; the claims file has a verdict for every claim.
"$PYTHON" "$CASES/make_news.py" || exit
conehull reproduce
conehull reproduce recovery-x -o out
conehull reproduce exemplars -o out
conehull reproduce exemplars --data missing -o out
conehull reproduce exemplars --data data -o out
touch file && conehull reproduce exemplars-bbc --data file -o out
conehull reproduce recovery-is
conehull reproduce recovery-is -o missing/out
conehull reproduce recovery-is -o file
echo "= $?"
mkdir -p bad/text/bbc && cp data/text/bbc/bbc.mtx.gz bad/text/bbc && printf 'a\nb\n' > bad/text/bbc/bbc.labels
conehull reproduce exemplars-bbc --data bad -o out
echo "= $?"
conehull reproduce page -o empty
echo "= $?"
"$PYTHON" - <<'EOF'
import json, os, signal, subprocess, time

WORDS = ["conehull", "reproduce", "exemplars-bbc", "--data", "data", "--quick", "--runs", "10"]
FILES = ("exemplars-bbc.csv", "exemplars-bbc.svg")
UNITS = 10 * 7


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def run(folder, *words):
    done = subprocess.run(WORDS + ["-o", folder, *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return done.stderr.decode().splitlines()


run("whole")

# Interrupted once an outcome is kept (the first line is the build's).
parts = subprocess.Popen(WORDS + ["-o", "parts"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
while parts.poll() is None and not (os.path.exists("parts/units.jsonl") and read("parts/units.jsonl").count("\n") > 1):
    time.sleep(0.002)
parts.send_signal(signal.SIGINT)
print("interrupted:", parts.wait(), sorted(os.listdir("parts")))
lines = read("parts/units.jsonl").splitlines(keepends=True)
assert 2 <= len(lines) < UNITS + 1, len(lines)

# And cut in the middle of a line, as a crash might leave it.
kept = lines[1]
with open("parts/units.jsonl", "w", encoding="utf-8") as file:
    file.write("".join(lines[:2]) + kept[:40])
print(run("parts")[0])
assert read("parts/units.jsonl").splitlines(keepends=True)[1] == kept, "a finished unit was done again"
assert read("parts/units.jsonl").count("\n") == UNITS + 1
for name in FILES:
    assert read(f"parts/{name}") == read(f"whole/{name}"), name
print("resumed: the same", *FILES)

# Other settings are other units, and those of before are kept.
assert "were already finished by an earlier run" not in "".join(run("parts", "--seed", "1"))
assert read("parts/exemplars-bbc.csv") != read("whole/exemplars-bbc.csv")
print(run("parts")[0])
assert read("parts/exemplars-bbc.csv") == read("whole/exemplars-bbc.csv")

subprocess.run(["conehull", "reproduce", "recovery-is", "--quick", "--runs", "1", "--quiet", "-o", "whole"],
               check=True, stdout=subprocess.DEVNULL)

# Table, picture, claims and page are made of the figures' JSON alone.
before = {name: read(f"whole/{name}") for name in os.listdir("whole") if name != "units.jsonl"}
for name in before:
    if not name.endswith(".json") or name == "claims.json":
        os.remove(f"whole/{name}")
subprocess.run(["conehull", "reproduce", "page", "--quiet", "-o", "whole"], check=True, stdout=subprocess.DEVNULL)
assert before == {name: read(f"whole/{name}") for name in os.listdir("whole") if name != "units.jsonl"}

claims = json.load(open("whole/claims.json", encoding="utf-8"))["claims"]
names = {name[:-5] for name in os.listdir("whole") if name.endswith(".json")}
print(len(claims), "claims,", len({claim["id"] for claim in claims}), "names")
for claim in claims:
    assert claim["verdict"] in ("holds", "differs", "fails", "not run"), claim
    assert claim["claim"] and claim["rule"] and claim["figure"], claim
    assert (claim["verdict"] == "not run") == (claim["measured"] == ""), claim
    assert claim["verdict"] == "not run" or set(claim["figure"].split(", ")) & names, claim
print("measured:", *[claim["id"] for claim in claims if claim["measured"]])
for name in ("recovery-is", "exemplars-bbc"):
    figure = json.load(open(f"whole/{name}.json", encoding="utf-8"))
    print(sorted(figure), sorted(figure["machine"]))
EOF
