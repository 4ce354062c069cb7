"""What a report says about each system of a platform, as data: Clusters, Installations, extensions, and what packages share."""
