"""Show results: formats of reports, tables of a terminal, and the HTML page. A view judges nothing."""
