"""Analyse packages: values and their origins, plans, systems and relations."""
