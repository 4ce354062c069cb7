"""The contract of functions, which an installed krmkit brings to pytest by itself, is loaded from the checkout here."""

pytest_plugins = ("krmkit.fn.contract.plugin",)
