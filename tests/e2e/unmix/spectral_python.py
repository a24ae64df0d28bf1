#!/usr/bin/env python3
"""ENVI files to and from Spectral Python (Debian: python3-spectral): its images in every order and byte order give one answer, and
it reads our maps and our spectral library with their names, wavelengths and units.

    spectral_python.py PROGRAM"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import spectral.io.envi as envi
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

LINES, SAMPLES, BANDS, COUNT = 14, 11, 30, 3
WAVELENGTHS = [400.5 + 10 * band for band in range(BANDS)]


def make_scene():
    random = np.random.default_rng(5)
    spectra = random.random((COUNT, BANDS)) + 0.1
    shares = random.dirichlet(np.full(COUNT, 0.4), LINES * SAMPLES)
    shares[[20, 60, 110]] = np.eye(COUNT)
    return (10000 * shares @ spectra).round().astype(np.int16).reshape(LINES, SAMPLES, BANDS)


def check_spectra(found, first):
    library = envi.open(f"{found}/endmembers.hdr")
    table = np.genfromtxt(f"{found}/endmembers.csv", delimiter=",", skip_header=1)
    assert library.names == ["endmember 1", "endmember 2", "endmember 3"], library.names
    assert np.allclose(library.bands.centers, WAVELENGTHS), library.bands.centers
    assert library.bands.band_unit == "Nanometers", library.bands.band_unit
    assert library.spectra.shape == (COUNT, BANDS) and np.allclose(library.spectra, table[:, 1:].T, rtol=1e-6)
    assert {tuple(spectrum) for spectrum in library.spectra} == {tuple(first.reshape(-1, BANDS)[k]) for k in (20, 60, 110)}


def check_maps(found):
    maps = envi.open(f"{found}/abundances.hdr")
    assert maps.shape == (LINES, SAMPLES, COUNT) and maps.metadata["band names"] == ["endmember 1", "endmember 2", "endmember 3"]
    assert np.array_equal(maps.load(), np.load(f"{found}/abundances.npy").astype(np.float32))
    for name in "residual", "gap":
        assert envi.open(f"{found}/{name}.hdr").shape == (LINES, SAMPLES, 1)


def main(program):
    cube, answers = make_scene(), []
    metadata = {"wavelength": WAVELENGTHS, "wavelength units": "Nanometers", "description": "a scene"}
    for order in "bil", "bip", "bsq":
        for byteorder in "little", "big":
            for kind in np.int16, np.float32, np.float64:
                name = f"{order}_{byteorder}_{np.dtype(kind).name}"
                envi.save_image(f"{name}.hdr", cube, dtype=kind, interleave=order, byteorder=byteorder, metadata=metadata)
                subprocess.run([program, "unmix", f"{name}.hdr", "-r", str(COUNT), "-o", f"found_{name}", "--quiet"],
                               check=True, stdout=subprocess.DEVNULL)
                check_maps(f"found_{name}")
                check_spectra(f"found_{name}", cube)
                answers.append(np.load(f"found_{name}/abundances.npy"))
    assert len(answers) == 18 and all(np.allclose(answers[0], other, atol=1e-9) for other in answers)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        where = os.path.abspath(sys.argv[1])
        os.chdir(place)
        main(where)
