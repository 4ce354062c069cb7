"""What makes a function of a rule engine: its config, its entry point, its failure policy, the pipeline that runs many."""
