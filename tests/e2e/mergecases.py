"""Random resources and random edits of them, for merges that the real kpt judges."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

from krmkit.libraries.json import Object

# Fields that tell elements apart, or resources: an edit leaves them alone, as a person would.
KEYS = ("name", "mountPath", "containerPort", "port", "protocol", "apiVersion", "kind")


class Cases:
    """Makes (base, upstream, local) triples of one resource; the same seed makes the same triples."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def triple(self, name: str) -> tuple[Object, Object, Object]:
        """Return a resource of this name, and two versions of it that were edited apart from each other."""
        makers = (self.deployment, self.cron_job, self.service, self.config_map, self.account, self.custom)
        base = self.random.choice(makers)()
        base["metadata"]["name"] = name
        return base, self.edited(base), self.edited(base)

    def container(self, number: int) -> Object:
        container: Object = {"name": f"c{number}", "image": f"img:{self.random.randint(1, 3)}"}
        if self.chance(0.6):
            container["env"] = [{"name": f"E{n}", "value": str(self.random.randint(0, 3))} for n in range(2)]
        if self.chance(0.5):
            container["ports"] = [
                {"containerPort": 80 + n, **({"protocol": "TCP"} if self.chance(0.5) else {})}
                for n in range(2)
            ]
        if self.chance(0.5):
            container["args"] = [f"a{self.random.randint(0, 3)}" for _ in range(2)]
        if self.chance(0.4):
            container["volumeMounts"] = [{"name": f"v{n}", "mountPath": f"/m{n}"} for n in range(2)]
        return container

    def pod_spec(self) -> Object:
        return {
            "containers": [self.container(n) for n in range(self.random.randint(1, 3))],
            "volumes": [{"name": "v0", "emptyDir": {}}],
            "tolerations": [{"key": "edge", "operator": "Exists"}],
        }

    def deployment(self) -> Object:
        spec = {"replicas": self.random.randint(1, 3), "template": {"spec": self.pod_spec()}}
        return {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"labels": {"a": "1"}},
            "spec": spec,
        }

    def cron_job(self) -> Object:
        template = {"spec": {"template": {"spec": self.pod_spec()}}}
        spec = {"schedule": "0 * * * *", "jobTemplate": template}
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {}, "spec": spec}

    def service(self) -> Object:
        ports = [{"port": 80 + n, "name": f"n{n}"} for n in range(self.random.randint(1, 3))]
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {},
            "spec": {"type": "ClusterIP", "ports": ports},
        }

    def config_map(self) -> Object:
        data = {f"k{n}": f"v{self.random.randint(0, 3)}" for n in range(3)}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}, "data": data}

    def account(self) -> Object:
        lists = {"imagePullSecrets": [{"name": "a"}, {"name": "b"}], "secrets": [{"name": "s"}]}
        return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {}, **lists}

    def custom(self) -> Object:
        spec = {"items": [{"name": "i", "v": 1}], "nested": {"b": 1, "c": [1, 2]}, "flag": True}
        return {"apiVersion": "shop.example.com/v1", "kind": "Shelf", "metadata": {}, "spec": spec}

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def edited(self, resource: Object) -> Object:
        changed = deepcopy(resource)
        self._edit(changed)
        return changed

    def _edit(self, value: Any) -> None:
        if isinstance(value, dict):
            self._edit_fields(value)
        elif isinstance(value, list):
            self._edit_elements(value)

    def _edit_fields(self, fields: Object) -> None:
        for key in [key for key in fields if key not in (*KEYS, "metadata")]:
            if self.chance(0.06):
                del fields[key]
            elif isinstance(fields[key], dict | list):
                self._edit(fields[key])
            elif self.chance(0.15):
                fields[key] = self._other(fields[key])
        if "data" in fields and isinstance(fields["data"], dict) and self.chance(0.4):
            fields["data"][self.random.choice(("n1", "n2"))] = self.random.choice("uw")

    def _edit_elements(self, elements: list[Any]) -> None:
        for element in elements:
            self._edit(element)
        if elements and self.chance(0.12):
            elements.pop(self.random.randrange(len(elements)))
        if elements and self.chance(0.15):
            new = deepcopy(elements[0])
            if isinstance(new, dict):
                fresh = {"name": "na", "mountPath": "/na", "containerPort": 9000, "port": 9000}
                new.update({key: value for key, value in fresh.items() if key in new})
            elements.insert(self.random.randint(0, len(elements)), new)

    def _other(self, value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        return value + 1 if isinstance(value, int) else f"{value}{self.random.choice('xy')}"
