"""Find where a value comes from (`krmkit why`).

`trace` compares resources between steps, `causes` finds the inputs.
"""
