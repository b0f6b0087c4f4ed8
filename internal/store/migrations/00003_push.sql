-- Where the messages that wake a phone go, and how far the ones for a call came.

-- +goose Up
CREATE TABLE subscriptions (
    phone      TEXT PRIMARY KEY REFERENCES phones (id),
    address    TEXT NOT NULL,
    public_key BYTEA NOT NULL,
    secret     BYTEA NOT NULL,
    made_for   BYTEA NOT NULL, -- the gateway's public push key
    created    BIGINT NOT NULL,
    last       TEXT NOT NULL -- JSON of nod.PushLast
);

ALTER TABLE calls ADD COLUMN push TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN pushed TEXT NOT NULL DEFAULT 'null'; -- JSON list of phone ids
