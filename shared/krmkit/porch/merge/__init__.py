"""Three-way merge of resources and Kptfiles, by the rules of `kpt pkg update`."""
