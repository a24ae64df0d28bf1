# AnnData files: cells are data points and stderr says so; --transpose takes genes; --write-h5ad writes the answer into a copy.
"$PYTHON" -c 'import h5py' 2>/dev/null || exit 77
"$PYTHON" -c '
import h5py, numpy as np
random = np.random.default_rng(3)
pure = random.uniform(0, 1, (3, 8))
X = np.vstack([random.dirichlet(np.ones(3), 20) @ pure, pure]).astype("f4")
np.save("X.npy", X)
np.save("pure.npy", X[20:22])
for name, group in (("cells.h5ad", None), ("outside.h5ad", "other.h5")):
    with h5py.File(name, "w") as file:
        file["X"] = X
        for frame, letter, count in (("obs", "c", 23), ("var", "g", 8)):
            made = file.create_group(frame)
            made.attrs["_index"] = "_index"
            made["_index"] = [letter + str(k) for k in range(count)]
        if group:
            h5py.File(group, "w").close()
            file["obsm"] = h5py.ExternalLink(group, "/")'
show='
import h5py, sys, numpy as np
with h5py.File(sys.argv[1]) as file:
    own = file["uns/conehull"]
    weights, components = file["obsm/X_conehull"], file["varm/conehull"]
    print(weights.shape, components.shape, sorted(own["anchors"][:].tolist()), own["loss"][()].decode(), own["status"][()].decode(),
          own["method"][()].decode(), own.attrs["encoding-type"], weights.attrs["encoding-type"], float(own["gap"][()]) < 1e-9)
    print(float(abs(weights[:] @ components[:].T - file["X"][:]).max()) < 1e-5)'
conehull anchors cells.h5ad -r 3 --write-h5ad out.h5ad -o found --json |
    "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(sorted(r["anchors"]), r["shape"], r["transpose"])'
"$PYTHON" -c "$show" out.h5ad
conehull verify cells.h5ad found --quiet --json | grep -c '"ok": true'
echo again, into the file itself, which still begins with X
conehull anchors out.h5ad -r 3 --loss l2 --write-h5ad out.h5ad --quiet --json >/dev/null
"$PYTHON" -c "$show" out.h5ad
echo genes
conehull anchors cells.h5ad -r 3 --transpose --method spa --write-h5ad genes.h5ad --quiet --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["shape"])'
"$PYTHON" -c "$show" genes.h5ad | sed -n 1p | cut -c1-14
echo a library of cells, as rows
conehull anchors cells.h5ad -r 3 --library pure.npy --quiet --json | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["anchors"][:2], sorted(r["anchors"])[0])'
echo unmix and verify take the same side of the file
conehull unmix cells.h5ad -r 3 -o scene --json 2>/dev/null | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["shape"], len(r["anchors"]))'
conehull verify cells.h5ad scene --quiet --json | grep -c '"ok": true'
echo refused
conehull anchors X.npy -r 2 --write-h5ad out.h5ad
conehull anchors cells.h5ad -r 2 --write-h5ad out.npy
conehull anchors cells.h5ad -r 2 --select-only --write-h5ad out.h5ad
conehull anchors outside.h5ad -r 3 --quiet --write-h5ad no.h5ad >/dev/null
conehull anchors cells.h5ad -r 3 --quiet --write-h5ad missing/no.h5ad >/dev/null
echo a bad target is found before any work: the input need not even exist
mkdir folder.h5ad
mkfifo pipe.h5ad
for target in missing/no.h5ad folder.h5ad pipe.h5ad; do
    conehull anchors nothing.h5ad -r 3 --quiet --write-h5ad $target
    echo "code $?"
done
rm -r folder.h5ad pipe.h5ad
ls *.h5ad *.part* 2>/dev/null
exit 0
