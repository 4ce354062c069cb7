"""Define, default and validate the variables of a ClusterClass. Sources in kubernetes-sigs/cluster-api:

schema, values, valuevalidation, definitionvalidation: internal/topology/variables
definitions (status.variables and conflicts): core/reconcilers/clusterclass
cluster (all four places of a Cluster at once): core/webhooks/admission/cluster.go
"""
