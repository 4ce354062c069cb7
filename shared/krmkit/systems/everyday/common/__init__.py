"""What all of kpt's functions share: their config, findings, and the releases whose rules they follow."""
