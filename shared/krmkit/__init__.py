"""krmkit: KRM functions for packaged configuration."""

import sys

__version__ = "0.1.0"
REGISTRY = "ghcr.io/krmkit"  # holds the images of the functions
TAG = f"v{__version__}"  # of the images of this version

if sys.hexversion < 0x030B0000:
    sys.exit("krmkit needs Python 3.11 or newer, and this is Python " + sys.version.split()[0])
