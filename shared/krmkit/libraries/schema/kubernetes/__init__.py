"""Kubernetes' rules for structural OpenAPI v3 schemas, as in CustomResourceDefinitions.

The language itself, which function configs are written in too: `krmkit.libraries.schema.openapi` reads a
schema and fills in its defaults, `krmkit.libraries.schema.walk` checks a value.

| module | what it does | source in Kubernetes |
|---|---|---|
| structural | checks that a schema is structural | apiserver/schema/{validation,complete}.go |
| defaults | checks the defaults of a schema | apiserver/schema/defaulting |
| pruning | finds the fields that a schema does not name | apiserver/schema/pruning |
| values | the errors of a value | kube-openapi pkg/validation/validate |
| formats | the string formats | kube-openapi pkg/validation/strfmt |
| rules | evaluates x-kubernetes-validations | apiserver/schema/cel |

All of them report `krmkit.libraries.kube.fielderror.FieldError`, with the texts and paths of Kubernetes.
"""
