"""Read and write setters: values and comments of apply-setters, create-setters and list-setters."""
