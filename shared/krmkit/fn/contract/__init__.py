"""Test the contract that every function keeps: a plugin of pytest, for any catalog's functions.

    [pytest]
    krm_functions = .          # in pytest.ini: a function's folder, or one that holds such folders

or, for one run, `pytest --krm-functions DIR`. Each function.yaml below is a test file then, each rule and
example a test.

- `plugin`: the options, and how functions become tests.
- `contractrules`: what a rule is, and how it is run for each function or example.
- `declared`, `lists`, `process`, `expected`: rules about function.yaml and configs, about lists, about the
  program as kpt starts it, about what is expected of the examples.
- `runchecks`: what holds for every run; `inputs`: lists, items and configs that every function must bear.
"""
