"""Sequences with hand-made masks, and how well other masks agree with them. Needs OpenCV (python3-opencv).

Two layouts: frames.mkv with gt/NUMBER.png (0-based frame numbers), and that of the CDnet benchmark (input/, groundtruth/, ROI.bmp,
temporalROI.txt), where pixels that the benchmark leaves out do not count. Shadows of OpenCV's models count as background."""
import os
import re

import cv2
import numpy as np

MODELS = {"MOG2": cv2.createBackgroundSubtractorMOG2, "KNN": cv2.createBackgroundSubtractorKNN}
BLOCKS = 4


def numbered(folder):
    """Returns the pictures of a folder by the number in their names."""
    return {int(re.search(r"\d+", name).group()): os.path.join(folder, name)
            for name in os.listdir(folder) if re.search(r"\d+\.(png|jpg|pgm)$", name)}


class Sequence:
    """truth: frame number -> (pixels that move, pixels that count). Numbers are those of the masks' names."""

    def __init__(self, folder):
        self.clip = os.path.join(folder, "frames.mkv")
        if os.path.exists(self.clip):
            self.files, self.truth = None, self.read_masks(os.path.join(folder, "gt"))
        else:
            self.files = numbered(os.path.join(folder, "input"))
            self.truth = self.read_benchmark(folder)

    @staticmethod
    def read_masks(folder):
        truth = {number: cv2.imread(file, cv2.IMREAD_GRAYSCALE) >= 128 for number, file in numbered(folder).items()}
        return {number: (mask, np.ones_like(mask)) for number, mask in truth.items()}

    def read_benchmark(self, folder):
        first, last = min(self.files), max(self.files)
        if os.path.exists(f"{folder}/temporalROI.txt"):
            with open(f"{folder}/temporalROI.txt", encoding="utf-8") as file:
                first, last = map(int, file.read().split())
        region, truth = cv2.imread(f"{folder}/ROI.bmp", cv2.IMREAD_GRAYSCALE), {}
        for number, path in numbered(f"{folder}/groundtruth").items():
            if first <= number <= last:
                mask = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
                counts = (mask != 85) & (mask != 170)
                truth[number] = mask == 255, counts & (region >= 128) if region is not None else counts
        return truth

    def frames(self, gray=False):
        """Yields (number, picture) in order; clips start at 0."""
        if self.files:
            yield from ((number, cv2.imread(self.files[number], 0 if gray else 1)) for number in sorted(self.files))
            return
        yield from enumerate(pictures_of(self.clip, gray))


def pictures_of(clip, gray):
    capture = cv2.VideoCapture(clip)
    while True:
        more, frame = capture.read()
        if not more:
            return
        yield cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY) if gray else frame


def count(masks, truth):
    """Returns (hits, errors) of each mask whose frame has a known mask, in the order of the frames."""
    counts = []
    for number, found in masks:
        if number in truth:
            moves, counted = truth[number]
            counts.append((int((found & moves & counted).sum()), int(((found != moves) & counted).sum())))
    return counts


def f_measure(counts):
    hits, errors = (sum(part) for part in zip(*counts))
    return 2 * hits / (2 * hits + errors) if hits + errors else float("nan")


def f_of_blocks(counts):
    """Returns the F-measure of each quarter of the masks, in order; the spread shows how much it varies over the sequence."""
    parts = np.array_split(np.array(counts), min(BLOCKS, len(counts)))
    return [value for value in (f_measure(part.tolist()) for part in parts) if value == value]


def masks_of_model(name, sequence, gray):
    model = MODELS[name]()
    for number, frame in sequence.frames(gray):
        yield number, model.apply(frame) == 255


def masks_of_file(path, sequence):
    """Returns the masks that `conehull video` or `live` wrote, numbered as the frames of the sequence."""
    numbers = sorted(sequence.files) if sequence.files else None
    for place, mask in enumerate(pictures_of(path, True)):
        yield numbers[place] if numbers else place, mask >= 128
