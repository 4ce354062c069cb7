"""The data of `krmkit report`: packages, fleets, plans of Clusters and installations, and the HTML page."""
