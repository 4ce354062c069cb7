"""The service `evaluator.FunctionEvaluator`, by which Porch runs functions, from one warm process (`krmkit serve evaluator`).

`messages` reads and writes what travels, `service` answers calls, `pool` keeps the processes that `worker` is, `server` starts
and stops it all. Only `service` and `server` need grpcio.
"""

from __future__ import annotations

import os

# gRPC's own log has a line for each handshake that fails, so that anybody could fill it. GRPC_VERBOSITY=info shows them.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
