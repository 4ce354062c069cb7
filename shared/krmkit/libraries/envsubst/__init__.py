"""`${VARIABLE}` in texts by the rules of drone/envsubst, which clusterctl and OCM's command line use.

    from krmkit.libraries.envsubst import substitute
    substitute("replicas: ${COUNT:=3}", {})   # "replicas: 3"

Forms: `${V}`, `${#V}` (its length), `${V^}`, `${V^^}`, `${V,}`, `${V,,}`, `${V:=default}`, `${V:-default}`,
`${V=default}`, `${V:first}`, `${V:first:length}`, `${V#pattern}`, `${V##pattern}`, `${V%pattern}`,
`${V%%pattern}`, `${V/text/other}`, `${V//text/other}`, `${V/#text/other}`, `${V/%text/other}`; `$$` is a
dollar sign. As in envsubst, `${V:?text}` and `${V:+text}` are defaults too, an empty variable has no value,
and lengths and positions count bytes.
"""

from __future__ import annotations

from krmkit.libraries.envsubst.bracedvariables import SubstitutionError
from krmkit.libraries.envsubst.substitute import TextTemplate, substitute

__all__ = ["SubstitutionError", "TextTemplate", "substitute"]
