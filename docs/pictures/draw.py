"""Draws the README's picture: the demo's release with repeatable noise."""

from pathlib import Path

import matplotlib

import twoworlds as tw
from twoworlds.app.demo import last_year
from twoworlds.app.inspections import inspections

matplotlib.rcParams["svg.hashsalt"] = "twoworlds"
release = last_year(inspections()).run(rng=tw.noise.seeded(7))
figure = tw.plot(release["failed"])
figure.savefig(Path(__file__).with_name("demo.svg"), facecolor="white", metadata={"Date": None})
