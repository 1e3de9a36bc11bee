"""The site of the admin, and its own pages: what stands above those of the models."""
