"""What is found out about packages: values and their origins, plans, systems and relations."""
