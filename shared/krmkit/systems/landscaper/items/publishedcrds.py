"""What the CRDs of DeployItem, Installation say about values, as JSON. Written by tools/crdschemas.py; do not edit.

Source: gardener/landscaper, CRDs of DeployItem (10350ee9075b) and Installation (279c50d7c263).
"""

SOURCE = "gardener/landscaper, CRDs of DeployItem (10350ee9075b) and Installation (279c50d7c263)"
SCHEMAS = (
    '{"kinds":{"landscaper.gardener.cloud/v1alpha1/DeployItem":{"type":"object","required":["spec"],"properties":{"spec":{"ty'
    'pe":"object","required":["type"],"properties":{"config":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubern'
    'etes-preserve-unknown-fields":true},"context":{"type":"string"},"onDelete":{"type":"object","properties":{"skipUninstall'
    'IfClusterRemoved":{"type":"boolean"}}},"target":{"type":"object","required":["name"],"properties":{"name":{"type":"strin'
    'g"},"namespace":{"type":"string"}}},"timeout":{"type":"string"},"type":{"type":"string"},"updateOnChangeOnly":{"type":"b'
    'oolean"}}}}},"landscaper.gardener.cloud/v1alpha1/Installation":{"type":"object","properties":{"spec":{"type":"object","r'
    'equired":["blueprint"],"properties":{"automaticReconcile":{"type":"object","properties":{"failedReconcile":{"type":"obje'
    'ct","properties":{"cronSpec":{"type":"string"},"interval":{"type":"string"},"numberOfReconciles":{"type":"integer","form'
    'at":"int32"}}},"succeededReconcile":{"type":"object","properties":{"cronSpec":{"type":"string"},"interval":{"type":"stri'
    'ng"}}}}},"blueprint":{"type":"object","properties":{"inline":{"type":"object","required":["filesystem"],"properties":{"f'
    'ilesystem":{"x-kubernetes-preserve-unknown-fields":true}}},"ref":{"type":"object","required":["resourceName"],"propertie'
    's":{"resourceName":{"type":"string"}}}}},"componentDescriptor":{"type":"object","properties":{"inline":{"$shared":0},"re'
    'f":{"type":"object","required":["componentName","version"],"properties":{"componentName":{"type":"string"},"repositoryCo'
    'ntext":{"$shared":0},"version":{"type":"string"}}}}},"context":{"type":"string"},"exportDataMappings":{"$shared":0},"exp'
    'orts":{"type":"object","properties":{"data":{"type":"array","items":{"type":"object","required":["dataRef","name"],"prop'
    'erties":{"dataRef":{"type":"string"},"name":{"type":"string"}}}},"targets":{"type":"array","items":{"type":"object","req'
    'uired":["name"],"properties":{"name":{"type":"string"},"target":{"type":"string"}}}}}},"importDataMappings":{"$shared":0'
    '},"imports":{"type":"object","properties":{"data":{"type":"array","items":{"type":"object","required":["name"],"properti'
    'es":{"configMapRef":{"$shared":1},"dataRef":{"type":"string"},"name":{"type":"string"},"secretRef":{"$shared":1},"versio'
    'n":{"type":"string"}}}},"targets":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"ty'
    'pe":"string"},"target":{"type":"string"},"targetListRef":{"type":"string"},"targetMap":{"type":"object","additionalPrope'
    'rties":{"type":"string"}},"targetMapRef":{"type":"string"},"targets":{"type":"array","items":{"type":"string"}}}}}}},"op'
    'timization":{"type":"object","properties":{"hasNoSiblingExports":{"type":"boolean"},"hasNoSiblingImports":{"type":"boole'
    'an"}}},"verification":{"type":"object","required":["signatureName"],"properties":{"signatureName":{"type":"string"}}}}}}'
    '}},"shared":[{"type":"object","x-kubernetes-preserve-unknown-fields":true},{"type":"object","required":["name"],"propert'
    'ies":{"key":{"type":"string"},"name":{"type":"string"}}}]}'
)
