"""Make a fleet's package variants: plan, build, render into a folder, sync over git."""
