"""What every package is made of, as kpt defines it: the Kptfile, ignored files, files as text, and the three-way merge."""
