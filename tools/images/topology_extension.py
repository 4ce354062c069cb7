"""The entry point of the image `topology-extension`: the server, with the arguments of the container."""

from __future__ import annotations

import sys

sys.path.insert(0, "/krmkit/shared")
from krmkit.start import command

sys.argv[1:1] = ["serve", "topology-extension"]
command()
