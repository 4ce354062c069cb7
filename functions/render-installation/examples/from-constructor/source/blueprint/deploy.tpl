{{- $image := getResource .cd "name" "image" }}
deployItems:
- name: shop
  type: landscaper.gardener.cloud/kubernetes-manifest
  target: {import: cluster}
  config:
    apiVersion: manifest.deployer.landscaper.gardener.cloud/v1alpha2
    kind: ProviderConfiguration
    updateStrategy: update
    manifests:
    - policy: manage
      manifest:
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: shop, namespace: default}
        spec:
          selector: {matchLabels: {app: shop}}
          template:
            metadata: {labels: {app: shop}}
            spec:
              containers:
              - {name: shop, image: {{ $image.access.imageReference }}}
