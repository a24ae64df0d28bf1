"""Hyperspectral unmixing: pixels are mixtures of a few materials; the pure pixels are among them.

A made-up scene: five smooth spectra, 60 x 80 pixels with their shares, each material pure in one of them, and
0.5 % of all values spoilt by dead detector cells. Under l1 such values count little; SPA takes them at face value.
"""
import numpy as np

from conehull import SPA, SeparableNMF

rng = np.random.default_rng(0)
bands = np.linspace(0, 1, 120)
spectra = np.array([0.2 + sum(rng.uniform(0.2, 1) * np.exp(-((bands - c) / w)**2)
                              for c, w in zip(rng.uniform(0, 1, 3), rng.uniform(0.05, 0.3, 3))) for _ in range(5)])
shares = rng.dirichlet(np.full(5, 0.6), 60 * 80)
pure = rng.choice(len(shares), 5, replace=False)
shares[pure] = np.eye(5)
scene = shares @ spectra
dead = rng.random(scene.shape) < 0.005
scene[dead] += rng.exponential(1.0, dead.sum())

for name, model in (("SeparableNMF, l1", SeparableNMF(5)), ("SPA", SPA(5))):
    found = model.fit_transform(scene)
    materials = np.argmax(shares[model.anchors_], axis=1)
    purity = shares[model.anchors_].max(axis=1)
    print(f"{name}: pixels {model.anchors_.tolist()}, purity {np.round(purity, 2).tolist()}")
    if len(set(materials)) == 5:
        error = np.abs(found / found.sum(axis=1, keepdims=True) - shares[:, materials]).mean()
        print(f"    all five materials; mean error of a share {error:.3f}")
    else:
        print(f"    materials {sorted(set(materials.tolist()))} of 5")
