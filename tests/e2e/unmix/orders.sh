# One scene in every order of axes and memory, and as a table: one answer.
"$PYTHON" "$CASES/make_scene.py" || exit
"$PYTHON" -c 'import scipy, h5py' 2>/dev/null || exit 77
"$PYTHON" - <<'PY'
import h5py
import numpy as np
from scipy.io import savemat
cube = np.load("scene.npy")
first = np.ascontiguousarray(cube.transpose(2, 0, 1))
np.save("last_f.npy", np.asfortranarray(cube))
np.save("first_c.npy", first)
np.save("first_f.npy", np.asfortranarray(first))
savemat("first.mat", {"cube": first})
savemat("waves.mat", {"cube": first, "wavelength": np.linspace(400, 900, 50)})
with h5py.File("first.h5", "w") as file:
    file["cube"] = first
for name, more in ("first73.mat", {}), ("waves73.mat", {"wavelength": np.linspace(400, 900, 50)[None]}):
    with h5py.File(name, "w", userblock_size=512) as file:
        for key, values in {"cube": first.T, **more}.items():  # as MATLAB stores it
            file[key] = values
    with open(name, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
np.savetxt("table.csv", cube.reshape(-1, 50).T, fmt="%.17g", delimiter=",")
cube[5, 6, 7] = np.inf
np.save("infinite.npy", cube)
PY
conehull unmix scene.npy -r 4 --truth truth.npz -o plain --quiet >/dev/null
cat >same.py <<'PY'
import json
import sys
import numpy as np
a, b = (json.load(open(f"{name}/unmix.json")) for name in ("plain", sys.argv[1]))
maps = [np.load(f"{name}/abundances.npy") for name in ("plain", sys.argv[1])]
print(sys.argv[1], a["pixels"] == b["pixels"], maps[0].shape == maps[1].shape and np.allclose(*maps, atol=1e-9),
      np.isclose(a["abundance_rmse"], b["abundance_rmse"]) if "abundance_rmse" in b else "")
PY
compare() { # NAME FILE OPTIONS
    name=$1 file=$2
    shift 2
    conehull unmix "$file" -r 4 -o "$name" --quiet "$@" >/dev/null && "$PYTHON" same.py "$name"
    conehull verify "$file" "$name" --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["ok"])'
}
compare last_f last_f.npy --truth truth.npz
compare first_c first_c.npy --bands-first --truth truth.npz
compare first_f first_f.npy --bands-first --truth truth.npz
compare first_mat first.mat --bands-first
compare waves_mat waves.mat
compare first_h5 first.h5 --bands-first
compare first73 first73.mat --bands-first
compare waves73 waves73.mat
compare table table.csv --shape 24x30 --truth truth.npz
# Messages that lead on.
conehull unmix first_c.npy -r 4 --truth truth.npz
echo "= $?" >&2
conehull unmix infinite.npy -r 4
echo "= $?" >&2
conehull unmix infinite.npy -r 4 --bands 1-7,9- --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["rank"])'
# A range without a band is named.
conehull unmix waves.mat -r 3 --wavelengths 500-700,1100-1200
echo "code $?"
