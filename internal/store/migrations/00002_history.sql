-- What a phone asks of its own past: the calls of an app, and the log entries
-- of a call. Neither index has a column that changes after the row is written.

-- +goose Up
CREATE INDEX calls_app ON calls (person, app, received, id);
CREATE INDEX entries_call ON entries (person, call, seq) WHERE call <> '';
