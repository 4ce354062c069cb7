"""Variables of a ClusterClass: their definitions, and the values that Clusters give them.

| module | what it does | file in cluster-api |
|---|---|---|
| schema | reads the schema of a definition | internal/topology/variables/schema.go |
| definitions | what defines a variable, and conflicts: status.variables | core/reconcilers/clusterclass |
| values | the values of one list: overrides, raw JSON | internal/topology/variables/utils.go |
| defaulting | fills in defaults | internal/topology/variables/cluster_variable_defaulting.go |
| validation | checks values | internal/topology/variables/cluster_variable_validation.go |
| classvalidation | checks definitions | internal/topology/variables/clusterclass_variable_validation.go |
| topology | all four places of a Cluster at once | core/webhooks/admission/cluster.go |
"""
