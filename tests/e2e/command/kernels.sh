# --kernel: every set that this processor has chooses the same anchors, with the same weights but for rounding; the one
# in use is named in the result. Others are refused.
conehull info --kernels --kernel portable | grep portable
conehull info --kernel abacus 2>&1 | sed 's/it has: .*portable/it has: ..., portable/'
"$PYTHON" - <<'EOF'
import json
import subprocess

import numpy as np

rng = np.random.RandomState(5)
W = rng.rand(150, 9)
X = np.hstack([W, W @ rng.dirichlet(np.ones(9), 200).T]) + np.abs(rng.laplace(0, 0.01, (150, 209)))
np.save("noisy.npy", np.asfortranarray(X))
np.save("bytes.npy", np.asfortranarray((200 * X / X.max()).astype(np.uint8)))


def run(*words):
    return json.loads(subprocess.run(["conehull", *words, "--json"], check=True, stdout=subprocess.PIPE).stdout)


def solve(kernel, file, *options):
    found = run("anchors", file, "-r", "9", "--kernel", kernel, "-o", kernel, *options)
    assert found["kernel"] == kernel, found["kernel"]
    return found["anchors"], np.load(f"{kernel}/H.npy"), found["objective"]


sets = [each["name"] for each in run("info")["kernels"] if each["usable"]]
assert sets[-1] == "portable", sets
for job in (["noisy.npy"], ["noisy.npy", "--loss", "l2"], ["noisy.npy", "--loss", "kl"], ["noisy.npy", "--loss", "is"],
            ["bytes.npy"], ["bytes.npy", "--method", "spa"]):
    results = [solve(kernel, *job) for kernel in sets]
    last, H, objective = results[-1]
    for anchors, other, value in results:
        assert anchors == last, (job, anchors, last)
        assert abs(other - H).max() <= 1e-6 * abs(H).max(), (job, abs(other - H).max())
        assert abs(value - objective) <= 1e-9 * objective, (job, value, objective)
    print(*job, "the same")
EOF
