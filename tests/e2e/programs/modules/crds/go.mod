// Nothing is built here: go.sum says what the modules that hold the CRDs must be.
module flux-fleet/tests/e2e/programs/crds

go 1.26.0
