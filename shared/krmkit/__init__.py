"""krmkit: KRM functions for packaged configuration."""

import sys

__version__ = "0.1.0"

if sys.hexversion < 0x030B0000:
    sys.exit("krmkit needs Python 3.11 or newer, and this is Python " + sys.version.split()[0])
