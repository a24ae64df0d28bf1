"""Background and moving objects of a film apart, on NumPy arrays.

A film of 120 frames, 64 x 96: a textured wall, a lamp that is switched on half way, and two walkers.
"""
import numpy as np

from conehull import video

rng = np.random.default_rng(1)
count, height, width = 120, 64, 96
wall = rng.normal(110, 25, (height // 4, width // 4)).repeat(4, axis=0).repeat(4, axis=1)
lamp = 60 * np.exp(-((np.arange(width) - 20) / 15)**2) * np.exp(-((np.arange(height)[:, None] - 10) / 20)**2)
light = (np.arange(count) >= 60)[:, None, None]
frames = wall + light * lamp + rng.normal(0, 2, (count, height, width))
truth = np.zeros(frames.shape, dtype=bool)
for speed, top in ((0.9, 30), (-0.7, 36)):
    for i in range(count):
        left = int((i * speed) % width)
        truth[i, top:top + 20, left:left + 8] = True
frames[truth] = 20
frames = frames.clip(0, 255).round().astype(np.uint8)

for method, settings in (("median", {}), ("robust-xray", {"rank": 2, "refit": 2})):
    parts = video.separate(frames, method=method, **settings)
    masks = parts.masks(smooth=0, close=0).masks  # the walkers are 8 pixels wide: as they are
    both = (masks & truth).sum()
    print(f"{method}: rank {parts.rank}, F-measure {2 * both / (masks.sum() + truth.sum()):.3f}")
print(f"the lamp is the picture of weight {np.ptp(parts.weights, axis=0).max():.2f} between dark and lit frames")
