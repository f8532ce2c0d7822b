/// One step of the store's own tables; the list only ever grows at its end.
///
/// A released step never changes: stores out there have run it. Tables of later steps begin with
/// `_`, for a model's table never does.
struct Migration {
    var name: String
    var sql: String

    /// The version of a store is how many of these it has run.
    static let all = [
        Migration(
            name: "records, queue, cursors, change feed",
            sql: """
                CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE base (
                    model TEXT NOT NULL, id TEXT NOT NULL, version TEXT, record TEXT,
                    deleted_record TEXT, PRIMARY KEY (model, id)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE mutation (
                    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL,
                    kind TEXT NOT NULL, state TEXT NOT NULL, not_before INTEGER NOT NULL,
                    attempts INTEGER NOT NULL, frozen INTEGER NOT NULL,
                    created_at INTEGER NOT NULL, key TEXT NOT NULL, "group" TEXT NOT NULL,
                    base_version TEXT, error TEXT, "set" TEXT, was TEXT
                ) STRICT;
                CREATE INDEX mutation_record ON mutation (model, id);
                CREATE INDEX mutation_apart ON mutation (state, not_before)
                    WHERE state <> 'queued' OR not_before > 0;
                CREATE TABLE dependency (
                    seq INTEGER NOT NULL, on_seq INTEGER NOT NULL, PRIMARY KEY (seq, on_seq)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX dependency_on ON dependency (on_seq);
                CREATE TABLE cursor (
                    model TEXT PRIMARY KEY, scope TEXT NOT NULL, token TEXT, epoch TEXT,
                    complete INTEGER NOT NULL, synced_at INTEGER, is_full INTEGER NOT NULL,
                    full_since INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE seen (
                    model TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (model, id)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE change (
                    seq INTEGER PRIMARY KEY, model TEXT NOT NULL, id TEXT NOT NULL,
                    kind TEXT NOT NULL, origin TEXT NOT NULL, "group" TEXT, at INTEGER NOT NULL,
                    fields TEXT, version TEXT, first INTEGER
                ) STRICT;
                CREATE TABLE undo_group (
                    "group" TEXT PRIMARY KEY, at INTEGER NOT NULL, undone INTEGER NOT NULL,
                    label TEXT
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE undo_entry (
                    "group" TEXT NOT NULL, ordinal INTEGER NOT NULL, model TEXT NOT NULL,
                    id TEXT NOT NULL, before TEXT, after TEXT, PRIMARY KEY ("group", ordinal)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE quarantine (
                    n INTEGER PRIMARY KEY AUTOINCREMENT, model TEXT NOT NULL, id TEXT,
                    raw TEXT NOT NULL, reason TEXT NOT NULL, received_at INTEGER NOT NULL
                ) STRICT;
                CREATE UNIQUE INDEX quarantine_record ON quarantine (model, id);
                CREATE TABLE lease (
                    row INTEGER PRIMARY KEY CHECK (row = 1), owner TEXT NOT NULL,
                    pid INTEGER NOT NULL, boot_id TEXT NOT NULL, expires_at INTEGER NOT NULL
                ) STRICT;
                """),
        Migration(
            name: "what quarantined records stand on",
            sql: """
                ALTER TABLE quarantine ADD COLUMN version TEXT;
                ALTER TABLE quarantine ADD COLUMN heard INTEGER;
                """),
        Migration(
            name: "ids that backends chose",
            sql: """
                CREATE TABLE _renamed (
                    model TEXT NOT NULL, id TEXT NOT NULL, present TEXT NOT NULL,
                    PRIMARY KEY (model, id)
                ) STRICT, WITHOUT ROWID;
                """),
        Migration(
            name: "queued changes that end a reference",
            sql: """
                CREATE TABLE _detachment (
                    seq INTEGER NOT NULL, model TEXT NOT NULL, id TEXT NOT NULL,
                    PRIMARY KEY (seq, model, id)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX _detachment_record ON _detachment (model, id);
                """),
        Migration(
            name: "pulls of everything from a backend that looks reset",
            sql: "ALTER TABLE cursor ADD COLUMN is_reset INTEGER NOT NULL DEFAULT 0"),
        Migration(
            name: "finding quarantined items without an id by their bytes",
            sql: """
                INSERT INTO meta (key, value)
                VALUES ('quarantine_key', CAST(random() & 0x1fffffffffffffff AS TEXT));
                ALTER TABLE quarantine ADD COLUMN digest INTEGER;
                UPDATE quarantine SET digest = satchel_digest(
                    raw, (SELECT value FROM meta WHERE key = 'quarantine_key'))
                WHERE id IS NULL;
                CREATE INDEX _quarantine_digest ON quarantine (model, digest)
                    WHERE digest IS NOT NULL;
                """),
    ]

    /// Our own tables of step 1, whose names models cannot have for theirs.
    static let tables = [
        "meta", "base", "mutation", "dependency", "cursor", "seen", "change", "undo_group",
        "undo_entry", "quarantine", "lease", "mutation_record", "mutation_apart",
        "dependency_on", "quarantine_record",
    ]
}
