"""The order in which kyaml writes the fields of a new mapping: the well-known ones first, then by name.

Source: sigs.k8s.io/kustomize/kyaml/yaml/order.go.
"""

from __future__ import annotations

_KNOWN = (
    "name generateName namespace clusterName apiVersion kind metadata type labels annotations spec status "
    "stringData data binaryData "
    "parallelism completions activeDeadlineSeconds backoffLimit replicas selector manualSelector template "
    "ttlSecondsAfterFinished volumeClaimTemplates service serviceName podManagementPolicy updateStrategy strategy minReadySeconds "
    "revision revisionHistoryLimit paused progressDeadlineSeconds "
    "restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy serviceAccountName serviceAccount "
    "automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace hostname subdomain schedulerName "
    "priorityClassName priority runtimeClassName enableServiceLinks nodeSelector hostAliases "
    "initContainers containers volumes securityContext imagePullSecrets affinity tolerations dnsConfig readinessGates "
    "image command args workingDir ports envFrom env resources volumeMounts volumeDevices livenessProbe readinessProbe lifecycle "
    "terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty "
    "clusterIP externalIPs loadBalancerIP loadBalancerSourceRanges externalName externalTrafficPolicy sessionAffinity "
    "protocol port targetPort hostPort containerPort hostIP readOnly mountPath subPath subPathExpr mountPropagation "
    "value valueFrom fieldRef resourceFieldRef configMapKeyRef secretKeyRef prefix configMapRef secretRef"
)
# The last occurrence of a name counts.
_RANK = {name: rank for rank, name in enumerate(_KNOWN.split())}


def ordered(value: object) -> object:
    """Return a copy whose mappings, at every depth, have their keys in kyaml's order."""
    if isinstance(value, dict):
        last = len(_RANK) + 1000
        return {
            key: ordered(value[key]) for key in sorted(value, key=lambda key: (_RANK.get(key, last), key))
        }
    if isinstance(value, list):
        return [ordered(item) for item in value]
    return value
