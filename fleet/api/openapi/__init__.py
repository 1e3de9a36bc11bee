"""The OpenAPI schema: what each path takes and answers, as tables that drf-spectacular serves.

Written out, and not derived from serializers: documents are read and checked by fleet/resources,
for all doors alike. `make schemathesis` holds the tables to what the server does.
"""
