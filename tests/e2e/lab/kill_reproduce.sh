# kill -9 of reproduce at moments spread over its run, the writing of its files included, and again:
# the figures at the end are the same to the byte, and nothing is left behind. KILLS: how many times.
"$PYTHON" "$CASES/make_news.py" || exit
cat > kill.py <<'END'
import json, os, random, subprocess, time

KILLS = int(os.environ.get("KILLS", 6))
WORDS = ["conehull", "reproduce", "exemplars-bbc", "--data", "data", "--quick", "--runs", "4"]
seed = int(os.environ.get("CONEHULL_SEED", 5))
draw = random.Random(seed)


def start(folder, threads):
    return subprocess.Popen([*WORDS, "-o", folder, "--threads", threads], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def read(name):
    with open(name, "rb") as file:
        return file.read()


def units(folder):
    """Outcomes by unit; a last line without its end is none."""
    path = f"{folder}/units.jsonl"
    lines = read(path).splitlines(keepends=True)[1:] if os.path.exists(path) else []
    return [json.loads(line)["unit"] for line in lines if line.endswith(b"\n")]


def claims(folder):
    """But for those about times."""
    made = json.loads(read(f"{folder}/claims.json"))["claims"]
    return [claim for claim in made if not claim["measured"].startswith("time of")]


began = time.monotonic()
assert start("whole", "1").wait() == 0
whole = time.monotonic() - began
wanted = sorted(os.listdir("whole"))
killed = 0
for turn in range(KILLS):
    before = units("parts")
    run = start("parts", str(1 + turn % 2))
    last = turn >= KILLS - 2  # as soon as a hidden folder is there, files are being written
    until = time.monotonic() + (60 if last else draw.uniform(0, 0.4 * whole))
    while time.monotonic() < until and run.poll() is None:
        if last and os.path.isdir("parts") and any(name.startswith(".") for name in os.listdir("parts")):
            break
        time.sleep(0.0005)
    run.kill()
    killed += run.wait() < 0
    assert units("parts")[: len(before)] == before, (seed, "outcomes were lost")
assert killed > 0 or KILLS == 0, seed
assert start("parts", "2").wait() == 0
done = units("parts")
assert len(done) == len(set(done)) and sorted(done) == sorted(units("whole")), (seed, "units")
assert sorted(os.listdir("parts")) == wanted, (seed, sorted(os.listdir("parts")))
assert claims("parts") == claims("whole"), seed
for name in "exemplars-bbc.csv", "exemplars-bbc.svg":
    assert read(f"parts/{name}") == read(f"whole/{name}"), (seed, name)
print("the same after kills:", *wanted)
END
"$PYTHON" kill.py
