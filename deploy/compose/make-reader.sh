#!/bin/sh
# The role of the read plane, made with the database: it reads the tables that `fleet` will make.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$READER_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE fleet_reader LOGIN PASSWORD :'password';
GRANT CONNECT ON DATABASE fleet TO fleet_reader;
GRANT USAGE ON SCHEMA public TO fleet_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE fleet IN SCHEMA public GRANT SELECT ON TABLES TO fleet_reader;
SQL
