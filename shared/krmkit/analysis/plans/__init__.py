"""Plan over two versions of a package: sources, running objects, Installations of many packages."""
