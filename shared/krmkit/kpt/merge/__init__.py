"""Three-way merge by the rules of `kpt pkg update`: resources, Kptfiles, texts and files, and the places of conflicts."""
