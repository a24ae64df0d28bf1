# Spectra at other wavelengths than the cube's, the scale of reflectance, and a mark of missing values that the file does not state.
"$PYTHON" "$CASES/make_scene.py" || exit
cat >make.py <<'PY'
import numpy as np
cube, M = np.load("scene.npy"), np.load("truth.npz")["M"]
wave = 400 + 10.0 * np.arange(50)
fine = np.arange(350, 951, 2.5)
F = np.array([np.interp(fine, wave, m, left=m[0], right=m[-1]) for m in M.T])


def envi(name, array, extra, bands):
    array.astype("<f4").tofile(name + ".img")
    open(name + ".hdr", "w").write("ENVI\nsamples = %d\nlines = %d\nbands = %d\ndata type = 4\ninterleave = bip\nbyte order = 0\n" %
                                   (array.shape[-2] if bands else array.shape[1], array.shape[0], array.shape[-1] if bands else 1) + extra)


def waves(list, unit):
    return "wavelength = {%s}\n" % ", ".join("%.6f" % w for w in list) + ("wavelength units = %s\n" % unit if unit else "")


library = "file type = ENVI Spectral Library\nspectra names = {soil, tree, water, road}\n"
envi("cube", cube, waves(wave, "Nanometers"), True)
envi("scaled", 10000 * cube, waves(wave, "Nanometers") + "reflectance scale factor = 10000\n", True)
envi("waveless", cube, "", True)
envi("fine", F, library + waves(fine, "nm"), False)
envi("um", F, library + waves(fine / 1000, "Micrometers"), False)
envi("falling", F[:, ::-1], library + waves(fine[::-1], ""), False)
envi("percent", 100 * F, library + waves(fine, "nm") + "reflectance scale factor = 100\n", False)
envi("wavenumbers", F, library + waves(fine, "Wavenumber"), False)
envi("short", F[:, 60:], library + waves(fine[60:], "nm"), False)
deleted = F.copy()
deleted[2, 100:104] = -1.23e34
envi("deleted", deleted, library + waves(fine, "nm"), False)
same = M.T.copy()
same[1, 7] = np.nan
envi("hole", same, library + waves(wave, "nm"), False)
envi("hole_waveless", same, library, False)
for name, head, scale in (("nm", "wavelength_nm", 1), ("micro", "Wavelength (um)", 1e-3)):
    np.savetxt(name + ".csv", np.column_stack([scale * fine, F.T]), fmt="%.17g", delimiter=",", comments="", header=head + ",soil,tree,water,road")
np.savez("named.npz", M=F.T, wavelength=fine)
np.savez("bare.npz", M=F.T)
marked = cube.copy()
marked[3, 4] = marked[5, 6, 7] = -9999
np.save("marked.npy", marked)
PY
"$PYTHON" make.py || exit
cat >against.py <<'PY'
"""The library as it was used, against NumPy's interpolation of the file's own values."""
import json
import sys
import numpy as np
file = sys.argv[1]
W, names = np.load("out/W.npy"), json.load(open("out/unmix.json"))["names"]
scale = json.load(open("out/unmix.json"))["cube"]["reflectance_scale"] or 1
wave, fine, M = 400 + 10.0 * np.arange(50), np.arange(350, 951, 2.5), np.load("truth.npz")["M"]
F = np.array([np.interp(fine, wave, m, left=m[0], right=m[-1]) for m in M.T])
order = [["soil", "tree", "water", "road"].index(name) if name in ("soil", "tree", "water", "road") else int(name.split()[1]) - 1 for name in names]
wanted = np.array([np.interp(wave, fine, F[k]) for k in order]).T * scale
off = abs(W - wanted).max(0) / wanted.max(0)
print(file, sorted(names), "exact" if off.max() < 1e-6 else "%.3f" % off.max())
PY
for library in fine.hdr um.hdr falling.hdr deleted.hdr hole.hdr nm.csv micro.csv named.npz; do
    conehull unmix cube.hdr -r 4 --library $library --library-only -o out >/dev/null && "$PYTHON" against.py $library
done
# Bands that are not used need not be covered; reference spectra are interpolated too.
conehull unmix cube.hdr -r 4 --wavelengths 500-890nm --library short.hdr --library-only --json | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["names"])'
conehull unmix cube.hdr -r 4 --endmembers um.hdr --json --quiet >other
conehull unmix cube.hdr -r 4 --endmembers truth.npz --json --quiet >own
"$PYTHON" -c '
import json
a, b = (json.load(open(name))["angle"] for name in ("other", "own"))
print(a["match"] == b["match"], abs(a["mean"] - b["mean"]) < 1e-4)'
# The scale of reflectance: carried to our library, not to maps; libraries that state one are converted.
conehull unmix scaled.hdr -r 4 --truth truth.npz -o scaled | grep -c brightness
grep -c "reflectance scale factor = 10000" scaled/endmembers.hdr scaled/abundances.hdr
for library in scaled/endmembers.sli scaled/endmembers.csv percent.hdr; do
    conehull unmix scaled.hdr -r 4 --library $library --library-only -o out --json | "$PYTHON" -c '
import json, sys
print(json.load(sys.stdin)["residual"]["mean"] < 0.1)'
done
"$PYTHON" against.py percent.hdr
# A folder of a run with a library can be checked: with the library as it was used, or with a file that has the bands of the cube.
verdict() {
    conehull verify "$@" --quiet --json | "$PYTHON" -c 'import json, sys; r = json.load(sys.stdin); print(r["ok"], r["why"])'
}
conehull verify scaled.hdr out
echo "= $?" >&2
verdict scaled.hdr out --library out/library.npy
"$PYTHON" -c '
import numpy as np
np.save("changed.npy", 1.01 * np.load("out/library.npy"))
np.save("M.npy", np.load("truth.npz")["M"])
np.save("rows.npy", np.load("scene.npy").reshape(-1, 50))'
verdict scaled.hdr out --library changed.npy
conehull unmix cube.hdr -r 5 --library M.npy -o out --quiet >/dev/null
verdict cube.hdr out --library M.npy
conehull unmix rows.npy --transpose -r 5 --library M.npy -o out --quiet >/dev/null
verdict rows.npy out --transpose --library out/library.npy
# --nodata is what a header's data ignore value is.
conehull unmix marked.npy -r 4 --nodata -9999 -o marked | grep -E "no data|missing"
conehull verify marked.npy marked --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["ok"])'
"$PYTHON" -c '
import json
import numpy as np
cube = np.load("marked.npy")
cube.tofile("ignored.img")
open("ignored.hdr", "w").write("ENVI\nsamples = 30\nlines = 24\nbands = 50\ndata type = 5\ninterleave = bip\nbyte order = 0\ndata ignore value = -9999\n")'
conehull unmix ignored.hdr -r 4 -o ignored --quiet >/dev/null
cmp marked/abundances.npy ignored/abundances.npy && echo same
# Refusals.
tell() {
    conehull unmix "$@" -r 4 -o no
    echo "= $?" >&2
}
tell cube.hdr --library short.hdr
tell cube.hdr --library wavenumbers.hdr
tell cube.hdr --library bare.npz
tell waveless.hdr --library fine.hdr
tell waveless.hdr --library hole_waveless.hdr
tell cube.hdr --library missing.npz
tell cube.hdr --endmembers missing.csv
tell cube.hdr --truth missing.mat
tell cube.hdr --wavelengths 1.2-2um
tell marked.npy --nodata none
tell scene.npy --transpose --nodata 0
exit 0
