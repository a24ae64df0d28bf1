# kill -9 again and again, at moments spread over the whole run: what comes out at the end is the
# same to the bit, and nothing is left behind. KILLS: how many times for every kind of run.
cat > kill.py <<'END'
import json, os, random, subprocess, sys, time
import numpy as np

KILLS = int(os.environ.get("KILLS", 4))
FILES = ["anchors.txt", "W.npy", "H.npy", "certificate.npz"]
KINDS = [
    ["-r", "20"],
    ["-r", "8", "--loss", "kl"],
    ["-r", "12", "--loss", "l2", "--exterior", "rand", "--path"],
    ["-r", "auto", "--first", "paper", "--keep", "5,17"],
    ["-r", "20", "--method", "spa"],
]
seed = int(os.environ.get("CONEHULL_SEED", 3))
draw = random.Random(seed)
make = np.random.default_rng(1)
X = make.gamma(0.5, 1, (30, 12)) @ make.dirichlet(np.full(12, 0.3), 6000).T
np.save("x.npy", np.asfortranarray(X + 0.05 * np.abs(make.laplace(size=X.shape))))


def start(kind, folder, *more):
    words = ["conehull", "anchors", "x.npy", *kind, "--json", "-o", folder, *more]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def story(text):  # a torn record is noted by the run that finds it: no part of the answer
    told = json.loads(text)
    for name in "seconds", "projections", "pivots", "passes", "machine", "threads", "command", "note":
        told.pop(name, None)
    return told


for kind in KINDS:
    began = time.monotonic()
    wanted = story(start(kind, "whole", "--threads", "1").communicate()[0])
    whole = time.monotonic() - began
    killed = 0
    for turn in range(KILLS):
        run = start(kind, "parts", "--threads", str(1 + turn % 2), "--checkpoint", "c", "--resume")
        time.sleep(draw.uniform(0, 0.6 * whole))
        run.kill()
        killed += run.wait() < 0
        run.stdout.close()
    run = start(kind, "parts", "--threads", "2", "--checkpoint", "c", "--resume")
    got = story(run.communicate(timeout=100)[0])
    assert run.returncode == 0, (seed, kind)
    assert got == wanted, (seed, kind, got, wanted)
    for name in FILES:
        same = open(f"whole/{name}", "rb").read() == open(f"parts/{name}", "rb").read()
        assert same, (seed, kind, name)
    print("the same bits after kills:", *kind)
    assert killed > 0 or KILLS == 0, (seed, kind)
    left = sorted(os.listdir(".")), sorted(os.listdir("parts"))
    assert left[0] == ["kill.py", "parts", "whole", "x.npy"], left
    assert left[1] == sorted(os.listdir("whole")), left
END
"$PYTHON" -c 'import numpy' 2> /dev/null || exit 77
"$PYTHON" kill.py
