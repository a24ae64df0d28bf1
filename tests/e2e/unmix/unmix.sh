# Endmembers of a scene with a known answer: files, maps in the picture's geometry, scores by an independent calculation,
# bands, masks, verify.
"$PYTHON" "$CASES/make_scene.py" || exit
"$PYTHON" -c 'import scipy.optimize' 2>/dev/null || exit 77
conehull unmix scene.npy -r 4 --truth truth.npz --smooth 5 -o out | grep -v '^seconds'
echo "= $?"
ls -A out
cat >check.py <<'PY'
import json
import numpy as np
from scipy.optimize import linear_sum_assignment
r = json.load(open("out/unmix.json"))
cube, truth = np.load("scene.npy"), np.load("truth.npz")
X = np.maximum(cube.reshape(-1, cube.shape[2]).T, 0)
W, H = np.load("out/W.npy"), np.load("out/H.npy")
maps, residual, gap = (np.load(f"out/{name}.npy") for name in ("abundances", "residual", "gap"))
print(maps.shape, residual.shape, gap.shape)
print(all((cube[line, sample].clip(0) == W[:, k]).all() for k, (line, sample) in enumerate(r["pixels"])))
print(np.array_equal(maps.reshape(-1, 4).T, H), gap.max() <= 1e-9, gap.max() == r["residual"]["max_gap"])
size = X.sum(0)
print(np.allclose(residual.ravel(), abs(X - W @ H).sum(0) / size, atol=1e-12), bool((H.sum(0) <= 1 + 1e-12).all()))
u, v = W / np.linalg.norm(W, axis=0), truth["M"] / np.linalg.norm(truth["M"], axis=0)
angles = np.degrees(np.arccos(np.clip(v.T @ u, -1, 1)))
rows, columns = linear_sum_assignment(angles)
print(list(columns) == r["angle"]["match"], np.allclose(angles[rows, columns], r["angle"]["each"], atol=1e-6))
rmse = np.sqrt(((truth["A"] - H[columns]) ** 2).mean(1))
print(np.allclose(rmse, r["abundance_rmse_each"]), np.isclose(rmse.mean(), r["abundance_rmse"]), r["without_shade"])
rows = [line.split(",") for line in open("out/scores.csv").read().split("\n")[1:-1]]
print(len(rows), rows[4][0], abs(float(rows[4][2]) - r["angle"]["mean"]) < 1e-5)
table = np.genfromtxt("out/endmembers.csv", delimiter=",", skip_header=1)
print(np.array_equal(table[:, 1:], W), len(open("out/endmembers.sli", "rb").read()) == 4 * W.size)
data = np.fromfile("out/abundances.img", "<f4").reshape(4, *cube.shape[:2])
print(np.array_equal(data, maps.transpose(2, 0, 1).astype("<f4")))
print(r["mean_abundance"] == [float(np.float64(h)) for h in r["mean_abundance"]], r["smooth_angle"]["mean"] < r["angle"]["mean"])
PY
"$PYTHON" check.py
# The same answer on any number of threads; --json is unmix.json.
conehull unmix scene.npy -r 4 --threads 1 --json >one
conehull unmix scene.npy -r 4 --threads 3 -o three --json >answer
"$PYTHON" - <<'PY'
import json
one, three, file = (json.load(open(name)) for name in ("one", "answer", "three/unmix.json"))
print(all(one[key] == three[key] for key in ("anchors", "pixels", "objective", "mean_abundance", "residual")), file == three)
PY
# Bands and pixels.
conehull unmix scene.npy -r auto --bands 1-20,41- --pixels mask.png --json -o half | "$PYTHON" -c '
import json, sys
import numpy as np
r = json.load(sys.stdin)
maps = np.load("half/abundances.npy")
print(r["rank"], r["rank_auto"]["by_noise"], len(r["cube"]["used_bands"]), r["cube"]["used_bands"][19:21], r["cube"]["masked_pixels"])
print(np.isnan(maps[:, 15:]).all(), np.isfinite(maps[:, :15]).all(), all(sample < 15 for line, sample in r["pixels"]))'
# Intervals hold the abundances; stable endmembers.
conehull unmix scene.npy -r 4 --intervals --stability 3 -o closer | grep -E "stable|^ .*%$|interval"
"$PYTHON" -c '
import numpy as np
low, mid, high = (np.load(f"closer/abundances{name}.npy") for name in ("_low", "", "_high"))
print(bool((low <= mid).all() and (mid <= high).all() and (low >= 0).all() and (high <= 1 + 1e-9).all()), low.shape)'
cat >oracle.py <<'PY'
"""The intervals against a linear programme: bounds of h_k with |x - W h|_1 <= 1.01 times the least."""
import numpy as np
from scipy.optimize import linprog
cube = np.load("scene.npy")
X = cube.reshape(-1, cube.shape[2]).clip(0)
W, H = np.load("closer/W.npy"), np.load("closer/H.npy")
bands, rank = W.shape
low, high = (np.load(f"closer/abundances_{name}.npy").reshape(-1, rank) for name in ("low", "high"))
worst = 0
for j in np.random.default_rng(0).choice(len(X), 12, replace=False):
    x, eye = X[j], np.eye(bands)
    rows = np.block([[W, -eye], [-W, -eye], [np.zeros((1, rank)), np.ones((1, bands))], [np.ones((1, rank)), np.zeros((1, bands))]])
    limits = np.concatenate([x, -x, [1.01 * abs(x - W @ H[:, j]).sum()], [1]])
    for k in range(rank):
        for sign, bound in ((1, low), (-1, high)):
            cost = np.zeros(rank + bands)
            cost[k] = sign
            worst = max(worst, abs(sign * linprog(cost, rows, limits).fun - bound[j, k]))
print("intervals differ from the linear programme by less than 1e-4:", worst < 1e-4)
PY
"$PYTHON" oracle.py
# Known components: first, or alone.
conehull unmix scene.npy -r 4 --endmembers truth.npz --library truth.npz --library-only -o known --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["pixels"], r["names"], max(r["angle"]["each"]) < 1e-6)'
"$PYTHON" -c '
import numpy as np
np.save("two.npy", np.load("truth.npz")["M"][:, :2].T)'
conehull unmix scene.npy -r 4 --library two.npy | sed -n '/^endmember/,/^mean/p'
# A table of spectra: its header names them, and a column of wavelengths or bands is no spectrum; our own endmembers.csv is read back.
"$PYTHON" -c '
import numpy as np
M = np.load("truth.npz")["M"]
for head in ("Wavelength (nm)", "umber"):
    np.savetxt(head[:5] + ".csv", np.column_stack([400 + 10.0 * np.arange(len(M)), M]), delimiter=",", comments="",
               header=head + ",soil,tree,water,road")'
for table in Wavel umber; do
    conehull unmix scene.npy -r 4 --library $table.csv --library-only --json | "$PYTHON" -c 'import json, sys; print(sorted(json.load(sys.stdin)["names"]))'
done
conehull unmix scene.npy -r 4 --endmembers out/endmembers.csv --json | "$PYTHON" -c '
import json, sys
angle = json.load(sys.stdin)["angle"]
print(len(angle["each"]), max(angle["each"]) < 1e-4)'
# Pixels without data.
"$PYTHON" -c '
import numpy as np
cube = np.load("scene.npy"); cube[3:5, 7] = np.nan; np.save("holes.npy", cube)'
conehull unmix holes.npy -r 4 -o holes | grep "no data"
"$PYTHON" -c '
import numpy as np
print(np.argwhere(np.isnan(np.load("holes/residual.npy"))).tolist())'
# Single values that are not known: the same endmembers, abundances of the bands that are there, a proof of it.
"$PYTHON" - <<'PY'
import numpy as np
cube = np.load("scene.npy")
gone = np.random.default_rng(4).random(cube.shape) < 0.03
cube[gone] = np.nan
cube[3:5, 7] = np.nan
cube[:, :, 11] = np.nan
cube[:, :, 12] = 0
np.save("gaps.npy", cube)
marked = np.nan_to_num(np.round(1000 * cube), nan=-99).astype("<i2")
marked.transpose(0, 2, 1).tofile("marked.img")
head = "ENVI\nsamples = %d\nlines = %d\nbands = %d\ndata type = 2\ninterleave = bil\nbyte order = 0\n"
open("marked.hdr", "w").write(head % (cube.shape[1], cube.shape[0], cube.shape[2]) + "data ignore value = -99\n")
PY
for file in gaps.npy marked.hdr; do
    conehull unmix $file -r 4 --endmembers truth.npz --intervals --stability 2 --smooth 5 -o ${file%.*} 2>/dev/null | grep -E "no data|missing|left out"
done
# Pixels that lack a value left out: as by a mask, with or without a limit that only they would exceed.
conehull unmix gaps.npy -r 4 --complete-pixels -o complete | grep "lack values"
"$PYTHON" - <<'PY'
import numpy as np
cube = np.load("gaps.npy")
whole = ~np.isnan(np.delete(cube, 11, 2)).any(2)
np.save("whole.npy", whole.astype(float))
cube[:, :, 4][whole] = np.nan
np.save("none_whole.npy", cube)
large = np.random.default_rng(1).integers(1, 200, (600, 1000, 60)).astype("u1")
large[::7, ::9, 3] = 255
large.tofile("large.img")
head = "ENVI\nsamples = 1000\nlines = 600\nbands = 60\ndata type = 1\ninterleave = bip\nbyte order = 0\n"
open("large.hdr", "w").write(head + "data ignore value = 255\n")
PY
conehull unmix gaps.npy -r 4 --pixels whole.npy -o whole --quiet >/dev/null
"$PYTHON" - <<'PY'
import json
import numpy as np
a, b = (json.load(open(f"{name}/unmix.json")) for name in ("complete", "whole"))
maps = [np.load(f"{name}/abundances.npy") for name in ("complete", "whole")]
print(a["anchors"] == b["anchors"], np.array_equal(*maps, equal_nan=True), a["cube"]["unknown_values"], a["cube"]["empty_pixels"],
      a["cube"]["dropped_pixels"] + a["cube"]["empty_pixels"] == b["cube"]["masked_pixels"])
PY
conehull unmix large.hdr -r 1 --loss l2 --memory 512M --complete-pixels --json 2>/dev/null | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["cube"]["dropped_pixels"])'
cat >gaps.py <<'PY'
import json
import numpy as np
from scipy.optimize import linprog
for name, scale in (("gaps", 1), ("marked", 1000)):
    r, cube = json.load(open(f"{name}/unmix.json")), np.load("gaps.npy")
    X = np.maximum(cube, 0)[:, :, r["cube"]["used_bands"]] * scale
    X = np.round(X) if scale > 1 else X
    W, maps, residual = (np.load(f"{name}/{file}.npy") for file in ("W", "abundances", "residual"))
    low, high = (np.load(f"{name}/abundances_{side}.npy") for side in ("low", "high"))
    print(r["cube"]["dead_bands"], len(r["cube"]["used_bands"]), r["cube"]["unknown_values"] == int(np.isnan(X).sum()) - 2 * X.shape[2], r["cube"]["empty_pixels"],
          r["angle"]["mean"] < 8, np.isfinite(np.load(f"{name}/W.npy")).all())
    off, held = 0, True
    for line, sample in ((0, 0), (5, 5), (10, 20), (23, 29), (3, 7)):
        x, h = X[line, sample], maps[line, sample]
        known = ~np.isnan(x)
        if not known.any():
            held &= bool(np.isnan(h).all() and np.isnan(residual[line, sample]))
            continue
        A, x = W[known], x[known]
        eye = np.eye(len(x))
        rows = np.block([[A, -eye], [-A, -eye], [np.ones((1, 4)), np.zeros((1, len(x)))]])
        best = linprog(np.r_[np.zeros(4), np.ones(len(x))], rows, np.r_[x, -x, 1]).fun
        off = max(off, abs(abs(x - A @ h).sum() - best) / x.sum(), abs(residual[line, sample] - best / x.sum()))
        held &= bool((low[line, sample] <= h).all() and (h <= high[line, sample]).all())
    print("least loss over the known bands:", off < 1e-9, held)
PY
"$PYTHON" gaps.py
conehull unmix gaps.npy -r auto | grep -c "the smaller of .* from the noise"
# A reference in MATLAB's order of pixels for a cube that is line by line, with the bands that take part alone.
"$PYTHON" - <<'PY'
import numpy as np
from scipy.io import savemat
truth, cube = np.load("truth.npz"), np.load("scene.npy")
lines, samples, bands = cube.shape
A = truth["A"].reshape(-1, lines, samples)
savemat("matlab.mat", {"M": truth["M"][:20], "A": A.transpose(0, 2, 1).reshape(len(A), -1)})
savemat("maps.mat", {"M": truth["M"], "A": A})
savemat("field.mat", {"y": cube.transpose(2, 1, 0).reshape(bands, -1), "nrow": lines, "ncol": samples})
PY
for way in "scene.npy --truth truth.npz" "scene.npy --truth matlab.mat" "scene.npy --truth maps.mat" "field.mat --truth matlab.mat"; do
    conehull unmix $way -r 4 --bands 1-20 --json --quiet
done | "$PYTHON" -c '
import json, sys
runs, text = [], sys.stdin.read()
while text.strip():
    run, end = json.JSONDecoder().raw_decode(text.lstrip())
    runs.append(run)
    text = text.lstrip()[end:]
first = runs[0]
print(len(runs), [abs(r["abundance_rmse"] - first["abundance_rmse"]) < 1e-9 and r["pixels"] == first["pixels"] for r in runs])'
# A matrix of bands x pixels, with its shape.
"$PYTHON" -c '
import numpy as np
cube = np.load("scene.npy"); np.save("flat.npy", cube.reshape(-1, cube.shape[2]).T.copy())'
conehull unmix flat.npy --shape 24x30 -r 4 -o flat --quiet >/dev/null
conehull verify flat.npy flat --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["ok"])'
cmp flat/abundances.npy three/abundances.npy && echo same
# A row per pixel.
"$PYTHON" -c '
import numpy as np
np.save("rows.npy", np.load("flat.npy").T.copy())'
conehull unmix rows.npy --transpose --shape 24x30 -r 4 -o rows --quiet >/dev/null
cmp rows/abundances.npy three/abundances.npy && echo same
conehull unmix rows.npy --transpose -r 4 --json | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)
print(r["cube"]["lines"], r["cube"]["samples"], r["cube"]["bands"])'
conehull verify rows.npy rows --transpose --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["ok"])'
# Every folder can be checked against its cube: bands, pixels and holes as in the run.
verdict() {
    conehull verify "$@" --json | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["ok"], r["why"])'
}
verdict scene.npy out
verdict scene.npy half
verdict holes.npy holes
verdict gaps.npy gaps
verdict marked.hdr marked
verdict scene.npy gaps
verdict scene.npy holes
"$PYTHON" -c '
import numpy as np
cube = np.load("scene.npy"); cube[0, 0, 3] += 1; np.save("other.npy", cube)'
verdict other.npy out
sed -i 5d half/pixels.txt
verdict scene.npy half
echo 9999 >>half/pixels.txt
conehull verify scene.npy half
echo "= $?" >&2
# Faults.
tell() {
    conehull unmix "$@" -o no
    echo "= $?" >&2
}
tell scene.npy
tell scene.npy -r 0
tell scene.npy -r 4 --bands 0-
tell scene.npy -r 4 --bands 70-
tell scene.npy -r 4 --bands 1-20,200-210
tell scene.npy -r 4 --bands 50
tell scene.npy -r 4 --bands 5-2
tell scene.npy -r 4 --bands 1-20 --wavelengths 400-900nm
tell scene.npy -r 4 --wavelengths 400-900nm
tell scene.npy -r 4 --shape 24
tell flat.npy -r 4 --shape 24x31
tell scene.npy -r 4 --pixels flat.npy
tell scene.npy -r 4 --pixels missing.png
tell scene.npy -r 4 --truth flat.npy
tell scene.npy -r 4 --endmembers three/H.npy
tell scene.npy -r 4 --truth truth.npz --endmembers truth.npz
tell scene.npy -r 4 --average mean
tell rows.npy -r 4 --transpose --bands 1-5
tell rows.npy -r 4 --transpose --shape 3x3
tell scene.npy -r 4 --library-only
tell scene.npy -r 4 --stability 0
tell scene.npy -r 4 --intervals --loss l2
tell scene.npy -r auto --library two.npy
tell scene.npy -r 1 --library two.npy
tell scene.npy -r 4 --smooth 721
tell scene.npy -r 4 --negative refuse
tell gaps.npy -r 4 --missing none
tell gaps.npy -r 4 --library two.npy
tell none_whole.npy -r 4 --complete-pixels
tell large.hdr -r 4 --memory 512M
tell missing.hdr -r 4
tell - -r 4
conehull unmix scene.npy -r 4 -o scene.npy
echo "= $?" >&2
[ -e no ] && echo "no is there"
exit 0
