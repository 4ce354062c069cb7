"""CEL as Kubernetes offers it for validation rules: cel-go's language and k8s.io/apiserver's libraries.

Supported: strings, sets, optionals, cel.bind, regex (find, findAll), lists (isSorted, sum, min, max), url,
quantity, ip, cidr, semver. Compile errors: `string()` of an IP, CIDR or quantity, indexOf and lastIndexOf of
lists, the `format` and `image` libraries, comprehensions with two variables, the authorizer.
"""
