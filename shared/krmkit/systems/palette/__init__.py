"""The rules of Palette packs: constraints, presets, macros. Values in, findings out."""
