"""Structural OpenAPI v3 schemas, as CustomResourceDefinitions have them.

| module | what it does | source in Kubernetes |
|---|---|---|
| schema | reads a schema from plain data | apiextensions JSONSchemaProps |
| structural | checks that a schema is structural | apiserver/schema/{validation,complete}.go |
| defaults | fills in defaults, and checks those of a schema | apiserver/schema/defaulting |
| pruning | finds the fields that a schema does not name | apiserver/schema/pruning |
| values | validates a value | kube-openapi pkg/validation/validate |
| formats | the string formats | kube-openapi pkg/validation/strfmt |
| rules | evaluates x-kubernetes-validations | apiserver/schema/cel |

All of them report `krmkit.lang.fielderror.FieldError`, with the texts and paths of Kubernetes.
"""
