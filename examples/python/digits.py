"""Twenty handwritten digits that stand for 1,797: exemplars, and how well they explain each kind of digit."""
import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from conehull import SeparableNMF

digits = load_digits()
model = SeparableNMF(n_components=20, loss="l1").fit(digits.data)

print("exemplars, in order:", digits.target[model.anchors_])
picture = digits.images[model.anchors_[0]].astype(int)
print("\n".join("".join(" .:-=+*#%@"[value * 9 // 16] for value in row) for row in picture))

left_over = np.abs(digits.data - model.inverse_transform(model.transform(digits.data))).sum(axis=1)
share = left_over / digits.data.sum(axis=1)
for kind in range(10):
    print(f"{kind}: {1 - share[digits.target == kind].mean():.0%} of its ink explained")

nearest = KNeighborsClassifier(1).fit(digits.data[model.anchors_], digits.target[model.anchors_])
print(f"nearest exemplar names {nearest.score(digits.data, digits.target):.0%} of all digits")
