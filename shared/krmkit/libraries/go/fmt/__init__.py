"""Go's fmt and strconv: how values are printed and formatted."""
