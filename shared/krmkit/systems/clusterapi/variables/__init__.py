"""Variables of a ClusterClass: their definitions, and the values that Clusters give them.

| module | what it does | file in cluster-api |
|---|---|---|
| variableschema | reads the schema of a definition | internal/topology/variables/schema.go |
| definitions | the definitions of variables, and their conflicts: status.variables | core/reconcilers/clusterclass |
| variablevalues | the values of one list: overrides, raw JSON | internal/topology/variables/utils.go |
| defaulting | fills in defaults | internal/topology/variables/cluster_variable_defaulting.go |
| valuevalidation | checks values | internal/topology/variables/cluster_variable_validation.go |
| definitionvalidation | checks definitions | internal/topology/variables/clusterclass_variable_validation.go |
| clustervariables | all four places of a Cluster at once | core/webhooks/admission/cluster.go |
"""
