"""Addresses, networks and URLs, as Go's net and net/url read them."""
