"""Runtime extensions of Cluster API over the network: the server, the client and the contract's test."""
