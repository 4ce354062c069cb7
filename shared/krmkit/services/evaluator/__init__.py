"""The service `evaluator.FunctionEvaluator`, by which Porch runs functions, from one warm process (`krmkit serve evaluator`).

`messages` reads and writes what travels, `service` answers calls, `pool` keeps the processes that `worker` is, `server` starts
and stops it all. Only `service` and `server` need grpcio.
"""
