#!/usr/bin/env python3
"""Files on which HDF5 crashes, takes all memory or never comes to an end: the command refuses them.

    hostile_hdf5.py PROGRAM

Each is a file of some KB in which one address was changed, so that a tree or a list leads back to itself. They are read in
a child process; before there was one, they took the command with them, or the memory of the machine."""

import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

SKIPPED = 77
try:
    import h5py
except ImportError:
    print("skipped: no h5py")
    sys.exit(SKIPPED)

NONE = 0xFFFFFFFFFFFFFFFF
GROUP_NODE = 544  # bytes of a node of a group's tree: 32 children, 33 keys


def plain(name, userblock=0):
    """A small file, its bytes, and where its addresses count from."""
    with h5py.File(name, "w", userblock_size=userblock) as file:
        for i in range(3):
            file[f"X{i}"] = np.ones((3, 4))
    with open(name, "rb") as file:
        return bytearray(file.read()), userblock


def store(name, data):
    with open(name, "wb") as file:
        file.write(data)


def heap_without_end(name, userblock=0):
    """The list of free blocks in the heap of names leads back to its first block: HDF5 stores each again and again."""
    data, base = plain(name, userblock)
    at = data.find(b"HEAP")
    _, first, address = struct.unpack("<QQQ", data[at + 8:at + 32])
    struct.pack_into("<Q", data, base + address + first, first)
    if userblock:  # the head of a file of MATLAB 7.3
        data[:128] = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    store(name, data)


def tree_in_itself(name):
    """The node of a group's tree is its own child."""
    data, _ = plain(name)
    at = data.find(b"TREE")
    data[at + 5] = 1
    struct.pack_into("<Q", data, at + 32, at)
    store(name, data)


def chunks_in_themselves(name):
    """The same in the tree of the chunks of a data set."""
    with h5py.File(name, "w") as file:
        file.create_dataset("X", data=np.ones((40, 40)), chunks=(4, 4), compression="gzip")
    with open(name, "rb") as file:
        data = bytearray(file.read())
    at = data.find(b"TREE\x01")
    data[at + 5] = 1
    struct.pack_into("<Q", data, at + 24 + 32, at)
    store(name, data)


def endless_tree(name):
    """Forty levels, each node with the same child twice: 2^40 ways to an empty leaf."""
    data, _ = plain(name)
    data += bytes(-len(data) % 8)

    def node(level, child):
        body = b"TREE" + bytes([0, level]) + struct.pack("<HQQ5Q", 2, NONE, NONE, 0, child, 8, child, 8)
        return body + bytes(GROUP_NODE - len(body))
    below = len(data)
    data += b"SNOD" + bytes([1, 0, 0, 0]) + bytes(2 * 4 * 40)
    for level in range(40):
        at = len(data)
        data += node(level, below)
        below = at
    root = data.find(b"TREE")
    data[root:root + GROUP_NODE] = node(40, below)
    struct.pack_into("<Q", data, 40, len(data))  # the superblock knows how long the file is
    store(name, data)


# Maker, name, what the message says. HDF5 itself reports that it got no more memory, as a file that it cannot read.
FILES = [
    (heap_without_end, "heap.h5", "heap.h5: "),
    (lambda name: heap_without_end(name, 512), "heap.mat", "heap.mat: "),
    (tree_in_itself, "tree.h5", "HDF5 crashed while it read this file"),
    (chunks_in_themselves, "chunks.h5ad", "HDF5 crashed while it read this file"),
    (endless_tree, "endless.h5", "seconds of processor time"),
]
COMMANDS = ["anchors {} -r 2 -o out", "project {} model -o out", "verify {} model", "anchors {} -r 2 -o out --memory 600M"]


def peak():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def refused(program, name, words, sentence):
    start = time.monotonic()
    done = subprocess.run([program, *words.format(name).split(), "--quiet"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=500, check=False)
    what = f"{words.format(name)}: code {done.returncode}: {done.stderr.strip()}"
    assert done.returncode == 2 and sentence in done.stderr, what
    assert not os.path.exists("out"), f"{what}: left behind"
    print(f"{name}: {time.monotonic() - start:.1f} s: {done.stderr.strip()}")


def whole_ones_are_read(program):
    """The same answer from HDF5 as from NumPy, dense and sparse, turned and by name."""
    X = np.random.default_rng(5).random((12, 40))
    X[X < 0.3] = 0
    np.save("X.npy", X)
    with h5py.File("X.h5", "w", userblock_size=512) as file:
        file.create_dataset("dense", data=X, chunks=(5, 7), compression="gzip", shuffle=True)
        group = file.create_group("sparse")
        rows, columns = np.nonzero(X.T)[1], np.nonzero(X.T)[0]
        group["data"], group["indices"] = X.T[X.T != 0], rows.astype(np.int32)
        group["indptr"] = np.searchsorted(columns, np.arange(X.shape[1] + 1)).astype(np.int32)
        group["shape"] = np.array(X.shape)
    answers = [subprocess.run([program, "anchors", *words.split(), "-r", "4", "--json", "--select-only"],
                              capture_output=True, text=True, check=True).stdout
               for words in ("X.npy", "X.h5 --var dense", "X.h5 --var sparse", "X.h5 --var dense --memory 600M")]
    found = [answer[answer.index('"anchors"'):answer.index("]", answer.index('"anchors"'))] for answer in answers]
    assert len(set(found)) == 1, found
    subprocess.run([program, "anchors", "X.npy", "-r", "4", "-o", "model"], check=True, stdout=subprocess.DEVNULL)


def main(program):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory(prefix="conehull-hdf5-") as folder:
        os.chdir(folder)
        whole_ones_are_read(program)
        for make, name, sentence in FILES:
            make(name)
            commands = COMMANDS if make is tree_in_itself else COMMANDS[:1]
            for words in commands:
                refused(program, name, words, sentence)
        assert peak() < 2500, f"peak memory {peak():.0f} MB"
        print(f"peak memory {peak():.0f} MB")
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
