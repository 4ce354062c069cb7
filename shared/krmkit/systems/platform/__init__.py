"""Check that several systems agree: packs, Clusters, Installations and variants of one package."""
