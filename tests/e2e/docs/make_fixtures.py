"""Small files under the names that the pages use, so that every command on them can be run as it stands."""
import gzip
import os
import random

import numpy as np
import scipy.io

DOCUMENTS, TERMS, CLASSES, FRAMES = 320, 240, 4, 120
SUBJECTS = ["garden roses soil spade seeds bloom hedge weeds", "kitchen flour oven butter dough spice bowl yeast",
            "harbour ships tide sails crane ropes gulls quay", "theatre stage actor curtain play scene verse prompt",
            "railway train engine track signal station guard ticket", "weather rain cloud storm frost wind thaw fog",
            "market stall price coin trade basket scales fruit", "school lesson pupil chalk desk essay term bell",
            "forest oak beech moss fern deer path mushroom", "workshop lathe chisel plane glue bench nail saw",
            "river bridge mill weir heron flood bank ferry", "music violin flute score choir tempo chord drum"]
COMMON = "morning people time work old water hand house day year".split()


def write_texts(draw):
    os.makedirs("letters")
    os.makedirs("news/sci.space")
    for i in range(8):
        with open(f"news/sci.space/{i}", "w", encoding="utf-8") as file:
            file.write("From: me\nSubject: moon\n\n> quoted\nrockets orbit the moon, again and again\n")
    texts = []
    for i in range(120):
        main, other = draw.sample(SUBJECTS, 2)
        words = [draw.choice(COMMON if draw.random() < 0.3 else (main if draw.random() < 0.85 else other).split())
                 for _ in range(60)]
        texts.append(" ".join(words).capitalize() + ".")
        with open(f"letters/{i + 1}.txt", "w", encoding="utf-8") as file:
            file.write(texts[-1] + "\n")
    with open("reviews.csv", "w", encoding="utf-8") as file:
        file.write("stars,review\n" + "".join(f'{1 + i % 5},"{text}"\n' for i, text in enumerate(texts)))
    with open("reviews.txt", "w", encoding="utf-8") as file:
        file.write("\n".join(texts) + "\n")


def write_counts(draw):
    """Documents of four classes, each with words of its own."""
    lines = []
    for document in range(DOCUMENTS):
        counts = {}
        for place in range(30):
            word = draw.randrange(TERMS // 4) if place % 3 == 0 else \
                TERMS // 4 + (document % CLASSES) * (TERMS * 3 // 16) + draw.randrange(TERMS * 3 // 16)
            counts[word] = counts.get(word, 0) + 1
        lines += [f"{word + 1} {document + 1} {counts[word]}\n" for word in sorted(counts)]
    matrix = f"%%MatrixMarket matrix coordinate integer general\n{TERMS} {DOCUMENTS} {len(lines)}\n" + "".join(lines)
    with open("counts.mtx", "w", encoding="utf-8") as file:
        file.write(matrix)
    for name in ("counts", "bbc", "reuters10"):
        with gzip.open(f"{name}.mtx.gz", "wt") as file:
            file.write(matrix)
    write_lines(("terms.txt", "bbc.terms", "reuters10.terms"), (f"word{i}" for i in range(TERMS)))
    write_lines(("classes.txt", "bbc.labels", "reuters10.labels"), (f"class{i % CLASSES}" for i in range(DOCUMENTS)))
    write_lines(("titles.txt",), (f"document {i}" for i in range(DOCUMENTS)))


def write_lines(names, lines):
    text = "".join(line + "\n" for line in lines)
    for name in names:
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)


def write_matrices():
    rng = np.random.RandomState(0)
    parts = rng.rand(200, 20)
    X = np.c_[parts, parts @ rng.dirichlet(np.ones(20), 190).T] + np.maximum(rng.laplace(0, .3, (200, 210)), 0)
    np.save("out/demo/X.npy", np.asfortranarray(X))
    np.save("new.npy", X[:, :30].copy())
    np.save("known.npy", X[:, 30:33].copy())
    for name in ("X.npy", "spectra.npy", "monday.npy", "tuesday.npy"):
        os.link("out/demo/X.npy", name)
    shares = rng.rand(12, 8) @ rng.dirichlet(np.ones(8), 40).T
    np.savetxt("shares.csv", shares, delimiter=",", fmt="%.6f")
    np.savetxt("table.csv", shares.T, delimiter=",", fmt="%.6f", header=",".join(f"r{i}" for i in range(12)), comments="")
    scipy.io.savemat("data.mat", {"X": shares, "Y": shares.T})
    lines = [f"food {k}," + ",".join(f"{value:.4f}" for value in row) for k, row in enumerate(shares.T)]
    write_lines(["foods.csv"], ["food," + ",".join(f"nutrient {i}" for i in range(12)), *lines])


def write_clips():
    """A square that moves over a pattern; what a file holds counts, not its name."""
    rng = np.random.RandomState(0)
    ground = rng.randint(60, 180, (48, 64))
    os.makedirs("masks")
    for i in (20, 60, 100):
        mask = np.zeros(ground.shape, np.uint8)
        mask[15:30, i // 3:i // 3 + 12] = 255
        for folder in ("masks", "out/demo/truth"):
            with open(f"{folder}/{i:06d}.pgm", "wb") as file:
                file.write(b"P5 64 48 255\n" + mask.tobytes())
    for name in ("clip.mp4", "yours.mp4", "monday.mp4", "tuesday.mp4", "out/demo/clip.mkv"):
        with open(name, "wb") as file:
            file.write(b"YUV4MPEG2 W64 H48 F25:1 Ip A1:1 Cmono\n")
            for i in range(FRAMES):
                frame = np.clip(ground + rng.randint(-3, 4, ground.shape), 0, 255).astype(np.uint8)
                frame[15:30, i // 3:i // 3 + 12] = 235
                file.write(b"FRAME\n" + frame.tobytes())


def write_scene():
    """A picture of mixed spectra, as ENVI has it and as the field's .mat files do."""
    rng = np.random.RandomState(1)
    lines, samples, bands, materials = 16, 20, 24, 5
    pure = 0.1 + rng.rand(bands, materials)
    shares = rng.dirichlet(np.ones(materials) / 2, lines * samples).T
    pixels = pure @ shares + 0.002 * rng.rand(bands, lines * samples)
    pixels.T.astype("<f4").tofile("scene.img")
    wavelengths = ", ".join(f"{400 + 25 * k}" for k in range(bands))
    with open("scene.hdr", "w", encoding="utf-8") as file:
        file.write(f"ENVI\nsamples = {samples}\nlines = {lines}\nbands = {bands}\nheader offset = 0\ndata type = 4\ninterleave = bip\n"
                   f"byte order = 0\nwavelength units = Nanometers\nwavelength = {{{wavelengths}}}\n")
    for name in ("scene.img", "scene.hdr"):
        os.link(name, os.path.join("out/demo", name))
    scipy.io.savemat("samson.mat", {"V": pixels, "nRow": lines, "nCol": samples, "nBand": bands, "M": pure, "A": shares})


def make(folder, data=None):
    """Fills the folder. With `data`, the collections under their own names are the real ones."""
    os.makedirs(folder)
    here = os.getcwd()
    os.chdir(folder)
    os.makedirs("out/demo/truth")
    write_clips()
    draw = random.Random(1)
    write_texts(draw)
    write_counts(draw)
    write_matrices()
    write_scene()
    if data:
        for name in ("bbc.mtx.gz", "bbc.terms", "bbc.labels", "reuters10.mtx.gz", "reuters10.terms", "reuters10.labels"):
            os.remove(name)
            os.symlink(os.path.join(data, "text", name.split(".")[0], name), name)
    os.chdir(here)
