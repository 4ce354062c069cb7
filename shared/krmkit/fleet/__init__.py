"""Package variants of a fleet: plan, build, render into a folder, sync over git."""
