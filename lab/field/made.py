"""Generated data with a known answer: matrices of the paper's generator, scenes of spectra, spikes."""
import numpy as np


def positive(values):
    return np.maximum(values, 0)


# The values of enum ch_synthetic_noise in include/conehull/synthetic.h.
NOISES = {
    "none": lambda random, exact, level: exact,
    "sparse": lambda random, exact, level: exact + positive(random.laplace(0, level / np.sqrt(2), exact.shape)),
    "two-sided": lambda random, exact, level: positive(
        exact + random.laplace(0, level / np.sqrt(2), exact.shape) * (random.random(exact.shape) < 0.5)),
    "gaussian": lambda random, exact, level: positive(exact + random.normal(0, level, exact.shape)),
    "exponential": lambda random, exact, level: random.exponential(level * exact),
    "poisson": lambda random, exact, level: random.poisson(level * exact).astype(float),
    "outliers": lambda random, exact, level: np.where(random.random(exact.shape) < level,
                                                      random.uniform(0, 10, exact.shape), exact),
}


def planted(seed, noise="sparse", level=0.3, rows=200, columns=210, rank=20):
    """X = W [I H'] + noise, columns shuffled: X, the pure columns W, and where they are in X."""
    random = np.random.default_rng(seed)
    W = random.random((rows, rank))
    H = np.hstack([np.eye(rank), random.dirichlet(random.random(rank), columns - rank).T])
    X = NOISES[noise](random, W @ H, level)
    order = random.permutation(columns)
    return X[:, order], W, np.argsort(order)[:rank]


def scene(seed, bands=80, columns=2000, rank=5):
    """Mixtures of smooth spectra (Dirichlet weights, three pure columns each), light between 0.02 and 1, every tenth column nearly
    dark, noise of 0.5 % of the largest value, negative values where noise makes them: X and the pure spectra."""
    random = np.random.default_rng(seed)
    axis = np.linspace(0, 1, bands)[:, None]
    pure = 0.1 + sum(random.uniform(0, 1, rank) * np.exp(-((axis - random.uniform(0, 1, rank))
                                                           / random.uniform(0.05, 0.3, rank)) ** 2) for _ in range(4))
    weights = random.dirichlet(np.full(rank, 0.7), columns).T
    weights[:, :3 * rank] = np.tile(np.eye(rank), 3)
    light = random.uniform(0.3, 1, columns)
    light[:3 * rank] = random.uniform(0.9, 1, 3 * rank)
    light[5 * rank::10] = 0.02
    X = pure @ (weights * light)
    return X + 0.005 * X.max() * random.standard_normal(X.shape), pure


def spike(X, seed):
    """Returns X with spikes in 0.1 % of its entries, of half to one and a half times the largest value."""
    random = np.random.default_rng(seed)
    hit = random.random(X.shape) < 0.001
    return np.where(hit, X + X.max() * random.uniform(0.5, 1.5, X.shape), X)
