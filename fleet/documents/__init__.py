"""The wire shapes: how clusters, components and the rest look as JSON, in seeds and in the API."""
