"""What every package is made of, as kpt defines it: Kptfile, ignored files, files as text, merge."""
