# --memory: a mapped file larger than the limit gives the same answer below it; what cannot is
# refused. COLUMNS: how many; from 300000 on the file (1 GB) is larger than the limit (make test-long).
cat > run.py <<'END'
import json, resource, subprocess

def run(*words):
    done = subprocess.run(["conehull", "anchors", *words, "-r", "8", "--loss", "l2", "--select-only", "--json",
                           "--threads", "2"], capture_output=True, text=True)
    if done.returncode:
        print("code", done.returncode, done.stderr.splitlines()[0])
        return None
    return json.loads(done.stdout)


small = run("x.npy", "--memory", "512M")
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print("below the limit" if peak < 512 else f"peak {peak} MB")
large = run("x.npy")
print("the same" if [small[k] == large[k] for k in ("anchors", "max_residual")] == [True, True] else "differs")
for size in "", "x", "1", "12Q", "1GB", "-5G", "511M", "1e30G":
    run("x.npy", "--memory", size)
END
"$PYTHON" -c 'import numpy' 2> /dev/null || exit 77
"$PYTHON" -c '
import os
import numpy as np
draw = np.random.default_rng(2)
columns = int(os.environ.get("COLUMNS", 20000))
X = draw.random((400, 8)) @ draw.dirichlet(np.full(8, 0.3), columns).T
np.save("x.npy", np.asfortranarray(X))'
"$PYTHON" run.py
