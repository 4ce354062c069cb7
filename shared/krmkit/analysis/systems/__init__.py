"""The data of a report about each system of a platform:

Clusters, Installations, extensions, and relations of packages.
"""
