# anchors first: where the projection takes long the anchors are printed before it ends, Ctrl-C keeps them, and
# --select-only --resume takes them from the checkpoint of the whole run. H in 4 bytes, and sparse, is verified.
cat >../first.py <<'END'
import json, os, signal, subprocess, sys
import numpy as np

rng = np.random.RandomState(0)
W, H = rng.rand(400, 12), rng.dirichlet(np.full(12, .3), 8000).T
X = W @ H + .01 * rng.rand(400, 8000)
np.save("slow.npy", X.astype("f4"))
words = ["conehull", "anchors", "slow.npy", "-r", "8", "--projection", "admm", "-o", "kept", "--checkpoint", "../run"]
run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
lines = [run.stdout.readline() for _ in range(13)]
assert run.poll() is None, "the anchors came last"
print(lines[1].strip(), "|", lines[3].strip(), "|", lines[12].split(":")[0])
said = run.stderr.readline()
print(said.split(", which takes about")[0], "|", said.split(";")[1].strip())
run.send_signal(signal.SIGINT)
rest, err = run.communicate(timeout=100)
assert "anchor     column" not in rest, "the table is printed twice"
print(run.returncode, err.split(":")[1].split(";")[0].strip(), sorted(os.listdir("kept")), json.load(open("kept/result.json"))["status"])
again = subprocess.run(words[:8] + ["taken"] + words[9:] + ["--select-only", "--resume", "--json"], capture_output=True, text=True)
found = json.loads(again.stdout)
print(again.returncode, found["status"], found["anchors"] == json.load(open("kept/result.json"))["anchors"], os.path.exists("../run"))
os.remove("../run")
END
"$PYTHON" ../first.py || exit
cat >../compact.py <<'END'
import json, os, subprocess
import numpy as np, scipy.sparse

rng = np.random.RandomState(1)
B, G = rng.rand(40, 5), rng.dirichlet(np.full(5, .1), 300).T
G[G < .1] = 0
X = B @ G
X[:, :5] = B
np.save("X.npy", X)


def run(folder, *words):
    return json.loads(subprocess.run(["conehull", "anchors", "X.npy", "-r", "5", "-o", folder, "--json", *words],
                                     stdout=subprocess.PIPE, check=True).stdout)


run("dense")
H = np.load("dense/H.npy")
for words in ["--h-precision single", "--h-format sparse", "--h-precision single --h-format auto", "--h-format dense",
              "--loss kl --h-precision single", "--loss l2 --h-precision single"]:
    found = run("compact", *words.split())
    h = found.get("h", {})
    name = h.get("file", "H.npy")
    got = scipy.sparse.load_npz("compact/" + name).toarray() if name == "H.npz" else np.load("compact/" + name)
    checked = subprocess.run(["conehull", "verify", "X.npy", "compact"], stdout=subprocess.PIPE)
    near = np.abs(got - H).max() < 1e-6 if "loss" not in words else True
    print(words, "|", name, got.dtype, near, sorted(h), "verify", checked.returncode,
          h.get("gap") is None or h["gap"] < 1e-6, len([f for f in os.listdir("compact") if f[:2] == "H."]))
got[np.unravel_index(got.argmax(), got.shape)] *= 1.001  # not what a projection gives
np.save("compact/H.npy", got)
print(subprocess.run(["conehull", "verify", "X.npy", "compact"], stdout=subprocess.PIPE, text=True).stdout.strip())
END
"$PYTHON" ../compact.py
conehull anchors X.npy -r 5 --h-precision single
echo "code $?" >&2
conehull anchors X.npy -r 5 --h-precision half -o no
echo "code $?" >&2
ls -d no 2>&1
# Names that fit the other side say so; the variable of a .mat is named.
"$PYTHON" -c 'import numpy as np, scipy.io
X = np.random.RandomState(0).rand(6, 9)
np.save("wide.npy", X)
open("six", "w").write("a\nb\nc\nd\ne\nf\n")
scipy.io.savemat("two.mat", {"spectra": X, "step": 0.5})'
conehull exemplars wide.npy -r 2 --names six >/dev/null
echo "code $?" >&2
conehull anchors two.mat -r 2 --json >/dev/null
