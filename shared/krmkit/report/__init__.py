"""What a command found, as one model (`model`), with places in files (`places`), and in every format (`formats`)."""
