-- What an agent asks of its own past: the call that its idempotency key names,
-- and the log entries that are about it.

-- +goose Up
CREATE INDEX calls_key ON calls (agent, idempotency, received) WHERE idempotency <> '';
CREATE INDEX entries_agent ON entries (person, agent, seq) WHERE agent <> '';
