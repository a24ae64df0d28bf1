"""The data sets of the field bench: where they are below the data folder, and where they come from when they are missing."""
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    name: str
    place: str  # below the data folder; this file or folder must exist
    origin: str


SPECTRA = (Source("Samson", "spectra/samson/samson.mat",
                  "GitHub UPCGIT/Hyperspectral-Unmixing-Models, Datasets/Samson.mat: Y, GT, S_GT"),)
TEXT = (Source("Reuters", "text/reuters10/reuters10.mtx.gz",
               "Reuters-21578, Deng Cai's Reuters21578.mat, the ten largest classes, as counts (docs/reproduction.md)"),
        Source("BBC", "text/bbc/bbc.mtx.gz",
               "BBC news, Greene and Cunningham, http://mlg.ucd.ie/datasets/bbc.html, as counts (docs/reproduction.md)"))
I2R = "I2R sequence of Li and others (IEEE TIP 13, 2004): frames.mkv and gt/NUMBER.png (docs/reproduction.md)"
VIDEO = (Source("Restaurant", "video/restaurant/frames.mkv", I2R), Source("Airport Hall", "video/airport_hall/frames.mkv", I2R),
         Source("Lobby", "video/lobby/frames.mkv", I2R),
         Source("highway", "video/cdnet/highway/input", "CDnet 2014, baseline/highway, http://changedetection.net, as it is packed there"),
         Source("Foliage", "video/sbi/Foliage/input", "SBI 2015, https://sbmi2015.na.icar.cnr.it, with masks in CDnet's layout "
                "(GitHub lim-anggun/FgSegNet, SBI2015_dataset)"),
         Source("Board", "video/sbi/Board/input", "SBI 2015, https://sbmi2015.na.icar.cnr.it, with masks in CDnet's layout "
                "(GitHub lim-anggun/FgSegNet, SBI2015_dataset)"))


BY_GROUP = {"spectra": SPECTRA, "video": VIDEO, "exemplars": TEXT, "topics": TEXT}


def present(data, source):
    return bool(data) and os.path.exists(os.path.join(data, source.place))


def missing_line(data, source):
    where = os.path.join(data, source.place) if data else f"DATA/{source.place} (give --data DATA)"
    return f"{source.name}: skipped, there is no {where}. It comes from: {source.origin}"
