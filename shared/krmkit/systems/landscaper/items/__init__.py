"""Read installations from the items of a list, and write their objects back."""
