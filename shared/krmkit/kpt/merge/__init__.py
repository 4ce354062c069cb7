"""Three-way merge by the rules of `kpt pkg update`: resources, Kptfiles, texts, files, conflicts."""
