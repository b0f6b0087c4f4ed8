-- What phones read is not in the ledger. The ledger says that there was something,
-- when it was handed out, by which token files came, and to whom private data went.

-- +goose Up
ALTER TABLE calls ADD COLUMN data BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE calls ADD COLUMN released BIGINT NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN upload BYTEA;
ALTER TABLE agents ADD COLUMN taint TEXT NOT NULL DEFAULT '{}';
