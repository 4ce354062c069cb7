"""The service `evaluator.FunctionEvaluator`, with which Porch runs functions, from warm processes (`krmkit
serve evaluator`).

`messages` encodes and decodes messages, `service` answers calls, `pool` holds the processes that run
`worker`, `server` starts and stops everything. Only `service` and `server` need grpcio.
"""

from __future__ import annotations

import os

# gRPC logs each failed handshake, so any client could fill the log. GRPC_VERBOSITY=info shows them.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
