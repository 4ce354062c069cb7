"""Plans over two versions of a package: their sources, running objects, and Installations of many packages."""
