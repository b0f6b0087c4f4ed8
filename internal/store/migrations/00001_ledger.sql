-- The ledger, the log, and who may ask.
--
-- Types are Postgres names on purpose: SQLite takes them as they are, and
-- booleans, integers, text and bytes are all there is. Times are ledger
-- milliseconds, 0 for never; ids that may be absent are ''.

-- +goose Up
CREATE TABLE people (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    created      BIGINT NOT NULL,
    paused_all   BOOLEAN NOT NULL,
    wait_seconds BIGINT NOT NULL,
    removed      BIGINT NOT NULL
);

CREATE TABLE agents (
    id           TEXT PRIMARY KEY,
    person       TEXT NOT NULL REFERENCES people (id),
    name         TEXT NOT NULL,
    created      BIGINT NOT NULL,
    mode         TEXT NOT NULL,
    access       TEXT NOT NULL, -- JSON of nod.Access
    phone        TEXT NOT NULL,
    wait_seconds BIGINT NOT NULL,
    paused       BOOLEAN NOT NULL,
    revoked      BIGINT NOT NULL,
    last_used    BIGINT NOT NULL
);
CREATE INDEX agents_person ON agents (person);

CREATE TABLE tokens (
    agent   TEXT PRIMARY KEY REFERENCES agents (id),
    hash    BYTEA NOT NULL UNIQUE,
    created BIGINT NOT NULL
);

CREATE TABLE phones (
    id           TEXT PRIMARY KEY,
    person       TEXT NOT NULL REFERENCES people (id),
    name         TEXT NOT NULL,
    host         TEXT NOT NULL,
    public_key   BYTEA NOT NULL,
    created      BIGINT NOT NULL,
    record       BYTEA,
    approved     BOOLEAN NOT NULL,
    revoked      BIGINT NOT NULL,
    epoch        BIGINT NOT NULL,
    screen       BOOLEAN NOT NULL,
    capabilities TEXT NOT NULL, -- JSON list of nod.Capability
    app_version  TEXT NOT NULL,
    zone         TEXT NOT NULL,
    locale       TEXT NOT NULL,
    seen         BIGINT NOT NULL
);
CREATE INDEX phones_person ON phones (person);

CREATE TABLE records (
    id     TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id),
    kind   TEXT NOT NULL,
    signed BYTEA NOT NULL,
    at     BIGINT NOT NULL
);
CREATE INDEX records_person ON records (person);

CREATE TABLE pairings (
    id        TEXT PRIMARY KEY,
    person    TEXT NOT NULL REFERENCES people (id),
    secret    BYTEA,
    recovery  BOOLEAN NOT NULL,
    created   BIGINT NOT NULL,
    expires   BIGINT NOT NULL,
    used      BIGINT NOT NULL,
    phone     TEXT NOT NULL
);

-- The private half of a call (offer, decision, result, and the sentences that
-- quote them) can be erased; the digests and the ending stay.
CREATE TABLE calls (
    id          TEXT PRIMARY KEY,
    person      TEXT NOT NULL REFERENCES people (id),
    agent       TEXT NOT NULL REFERENCES agents (id),
    phone       TEXT NOT NULL,
    version     BIGINT NOT NULL,
    tool        TEXT NOT NULL,
    action      TEXT NOT NULL,
    kind        TEXT NOT NULL,
    app         TEXT NOT NULL,
    idempotency TEXT NOT NULL, -- the agent's own key
    offer       BYTEA,
    digest      BYTEA,
    act_digest  BYTEA,
    answer      TEXT NOT NULL,
    rule        TEXT NOT NULL,
    until       BIGINT NOT NULL,
    basis       TEXT NOT NULL,
    badges      TEXT NOT NULL, -- JSON list of nod.Badge
    state       TEXT NOT NULL,
    outcome     TEXT NOT NULL,
    why         TEXT NOT NULL,
    told        TEXT NOT NULL,
    message     TEXT NOT NULL,
    started     BOOLEAN NOT NULL,
    supplement  TEXT NOT NULL,
    decision    BYTEA,
    decided_by  TEXT NOT NULL,
    result      BYTEA,
    received    BIGINT NOT NULL,
    offered     BIGINT NOT NULL,
    deadline    BIGINT NOT NULL,
    decided     BIGINT NOT NULL,
    due         BIGINT NOT NULL,
    ended       BIGINT NOT NULL,
    attached    BOOLEAN NOT NULL,
    handed_over BOOLEAN NOT NULL,
    erased      BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX calls_received ON calls (received, id);
CREATE INDEX calls_person ON calls (person, received, id);
CREATE INDEX calls_agent ON calls (agent, received, id);
CREATE INDEX calls_open ON calls (id) WHERE state <> 'closed';
CREATE INDEX calls_ended ON calls (ended) WHERE ended > 0;
CREATE INDEX calls_unerased ON calls (ended) WHERE NOT erased;

-- A leaf of the log is made of every column but salt and payload, which can
-- be erased: the proof is over their hash.
CREATE TABLE entries (
    person       TEXT NOT NULL REFERENCES people (id),
    seq          BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    kind         TEXT NOT NULL,
    call         TEXT NOT NULL,
    agent        TEXT NOT NULL,
    phone        TEXT NOT NULL,
    facts        TEXT NOT NULL, -- JSON object of strings, '' for none
    salt         BYTEA,
    payload      BYTEA,
    payload_hash BYTEA,
    PRIMARY KEY (person, seq)
);
CREATE INDEX entries_unerased ON entries (at) WHERE salt IS NOT NULL;

-- The stored hashes of each person's Merkle tree, by their index in it.
CREATE TABLE hashes (
    person TEXT NOT NULL REFERENCES people (id),
    idx    BIGINT NOT NULL,
    hash   BYTEA NOT NULL,
    PRIMARY KEY (person, idx)
);

CREATE TABLE heads (
    person TEXT PRIMARY KEY REFERENCES people (id),
    size   BIGINT NOT NULL,
    signed BYTEA NOT NULL -- JSON of the wire.Signed head
);

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
