#!/usr/bin/python3
"""Ten thousand frames through a pipe: after frame 1,000 the resident size of `conehull live` does not grow by 1 MB.

    live_memory.py CONEHULL

A textured picture whose light drifts, noise, a block that moves, and a new light at frame 500 and every 1,000 after it, so
that whatever learns has learned once before the first look and does so again and again after it."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e", "video"))
import film

try:
    import numpy as np
except ImportError as missing:
    film.skip(missing)

FRAMES, WIDTH, HEIGHT = 10000, 160, 120
FIRST_LOOK, GROWTH = 1000, 1 << 20


def pictures():
    draw = np.random.default_rng(1)
    ground = draw.integers(60, 160, (HEIGHT, WIDTH)).astype(np.float32)
    noise = draw.normal(0, 2, (16, HEIGHT, WIDTH)).astype(np.float32)
    lights = [np.linspace(0.5, 1.3, WIDTH, dtype=np.float32)[np.newaxis, :] ** power for power in (1, -1, 2)]
    lights += [np.linspace(0.5, 1.3, HEIGHT, dtype=np.float32)[:, np.newaxis] ** power for power in (1, -1, 2)]
    for i in range(FRAMES):
        light = lights[(i - 500) // 1000 % len(lights)] if i >= 500 else 1
        frame = ground * light * (1 + 0.05 * np.sin(i / 400)) + noise[i * 7 % 16]
        at = 3 * i % (WIDTH - 20)
        frame[40:70, at:at + 20] = 230
        yield np.clip(frame, 0, 255).astype(np.uint8).tobytes()


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))


def main(command):
    film.needs(command)
    run = subprocess.Popen([command, "live", "-", "--absorb", "300", "--json", "--quiet"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE)
    run.stdin.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 Cmono\n" % (WIDTH, HEIGHT))
    seen = []
    for i, frame in enumerate(pictures(), 1):
        run.stdin.write(b"FRAME\n" + frame)
        if i % FIRST_LOOK == 0:
            run.stdin.flush()
            seen.append(resident(run))
    result = json.loads(run.communicate()[0])
    print(f"{result['frames']} frames, {result['adaptations']} adaptations, {result['lessons']} lessons; MB after each "
          f"{FIRST_LOOK}: " + " ".join(f"{size / 2**20:.2f}" for size in seen))
    assert run.returncode == 0 and result["frames"] == FRAMES and result["adaptations"] >= 5
    assert max(seen) - seen[0] < GROWTH


if __name__ == "__main__":
    main(*sys.argv[1:])
