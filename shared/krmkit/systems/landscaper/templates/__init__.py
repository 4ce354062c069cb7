"""Template executors: GoTemplate and Spiff."""
