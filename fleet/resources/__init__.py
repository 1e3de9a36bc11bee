"""One serializer for each kind of object: what its fields are, how they are read, checked, shown
and described. Seeds, `/apply`, batches, the REST API and the admin go through them."""
