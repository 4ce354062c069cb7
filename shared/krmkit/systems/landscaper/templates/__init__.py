"""Run template executors: GoTemplate and Spiff."""
