"""Describe each system of a platform for reports: Clusters, Installations, extensions, relations."""
