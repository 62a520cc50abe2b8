import {
  boolean,
  bytes,
  createdNow,
  id,
  int8,
  int8Array,
  integer,
  json,
  looseId,
  moment,
  nodeOfConnection,
  oneOf,
  reference,
  sealed,
  text,
  textArray,
  transactionId,
  uuid,
} from '../columns.ts'
import { entity } from '../entity.ts'

/** A business setting; settings/catalog gives its type. */
export const SystemSetting = entity('system_settings', {
  columns: {
    name: text().primary(),
    /** As text; only secret ones are sealed. */
    value: sealed(),
    /** Null while the value is the default a migration brought. */
    updated_at: moment().nullable(),
  },
})

/** The ids of the keys without which sealed values of this database do not open; no key itself. */
export const SecretKey = entity('secret_keys', {
  columns: {
    key_id: text().primary(),
    since: createdNow(),
  },
})

/** Sequences whose ids are taken before their rows are written, and on which timeline of the server that was last. */
export const ReservedSequence = entity('reserved_sequences', {
  columns: {
    name: text().primary(),
    timeline: text(),
  },
})

export const JobRun = entity('job_runs', {
  columns: {
    id: id(),
    name: text(),
    started_at: moment(),
    ended_at: moment().nullable(),
    ok: boolean().nullable(),
    result: json<Record<string, unknown>>().nullable(),
    again: boolean().default(false),
    /** Who started it by hand; null: the clock did, or the program itself. */
    user_name: text().nullable(),
  },
  indexes: {
    job_runs_name: '(name, started_at DESC)',
    job_runs_open: '(name) WHERE ok IS NULL',
  },
})

/** Work on many records that somebody of the staff has started, and that goes on without the page that started it. */
export const StaffRun = entity('staff_runs', {
  columns: {
    id: id(),
    kind: oneOf('import', 'blocks', 'tariffs', 'promises'),
    /** The advisory lock that its program holds while it works. */
    lock: text(),
    staff_id: looseId(),
    user_name: text(),
    /** Of a request with an Idempotency-Key, and what the request was. */
    key: text().nullable(),
    request: text().nullable(),
    /** What was asked for, as it is shown. */
    asked: json<Record<string, unknown>>(),
    /** Stays `running` where the program was killed. */
    state: oneOf('running', 'done', 'failed', 'cut_off').default('running'),
    /** How many records there are; null while that is not known. */
    total: integer().nullable(),
    done: integer().default(0),
    result: json<Record<string, unknown>>().nullable(),
    started_at: createdNow(),
    ended_at: moment().nullable(),
  },
  uniques: { staff_runs_key: ['key'] },
  indexes: {
    staff_runs_staff: '(staff_id, id DESC)',
  },
})

/** A record that a run has left as it was, and why. */
export const StaffRunFault = entity('staff_run_faults', {
  columns: {
    run_id: reference('staff_runs').onDelete('cascade').primary(),
    /** The line of the file, or the id of the subscriber. */
    record: int8().primary(),
    name: text().nullable(),
    reason: text(),
  },
})

/**
 * A record that a run has not gone through yet; it is deleted when that is done. Of an import: the line before a chunk.
 */
export const StaffRunRest = entity('staff_run_rest', {
  columns: {
    run_id: reference('staff_runs').onDelete('cascade').primary(),
    record: int8().primary(),
  },
})

/** The file of an import that has not ended well yet. */
export const StaffRunFile = entity('staff_run_files', {
  columns: {
    run_id: reference('staff_runs').onDelete('cascade').primary(),
    encoding: oneOf('utf-8', 'windows-1251'),
    /** What its columns are, between commas; null: its header says it. */
    columns: text().nullable(),
    /** The AES-256 key of the content in base64, so that a rotation of the program's key seals this alone anew. */
    key: sealed(),
    /** A nonce of 12 bytes and the compressed file, encrypted by AES-256-GCM. */
    content: bytes(),
    kept_at: createdNow(),
  },
})

/** What must still happen outside after a commit; written in the same transaction. */
export const Outbox = entity('outbox', {
  columns: {
    id: id(),
    kind: text(),
    payload: json<Record<string, unknown>>(),
    subscriber_id: looseId(),
    created_at: createdNow(),
    due_at: createdNow(),
    attempts: integer().default(0),
    done_at: moment().nullable(),
    result: json<Record<string, unknown>>().nullable(),
    /** Whose it is to carry it out; null: of the only program of its database. */
    node: nodeOfConnection().nullable(),
  },
  indexes: {
    outbox_pending: '(id) WHERE done_at IS NULL',
    outbox_subscriber: '(subscriber_id, id DESC) WHERE subscriber_id IS NOT NULL',
    outbox_done: '(done_at) WHERE done_at IS NOT NULL',
  },
})

/**
 * How many rows of a table have a key in a bucket of 8192; several lines of one bucket are summed up. Triggers write
 * it.
 */
export const RowCount = entity('row_counts', {
  columns: {
    id: id(),
    table_name: text(),
    /** `key >> 13`. */
    bucket: int8(),
    rows: int8(),
  },
})

/** A program that serves this database together with others. Times are the database's. */
export const Node = entity('nodes', {
  columns: {
    number: integer().primary().generated(),
    name: text().unique('nodes_name'),
    /** Grows with every start, so that a program that was given up notices that another one has its name. */
    epoch: integer().default(1),
    version: text(),
    role: oneOf('full', 'edge').default('full'),
    started_at: createdNow(),
    heartbeat_at: createdNow(),
    /** Null unless it has ended in good order. */
    stopped_at: moment().nullable(),
    /** It is to be stopped, and takes nothing new. */
    is_draining: boolean().default(false),
    /** What it tells of itself. */
    state: json<Record<string, unknown>>().defaultSql(`'{}'`),
  },
})

/** What the commits of a node have changed, for the others, which read it by the transactions that wrote it. */
export const NodeLog = entity('node_log', {
  columns: {
    id: id(),
    xid: transactionId().defaultSql('pg_current_xact_id()'),
    at: createdNow(),
    node: nodeOfConnection(),
    /** Who follows it: platform/nodes/log-reading.ts. */
    kind: text().default('accounts'),
    accounts: int8Array().defaultSql("'{}'"),
    /** For each account what a commit did to it (billing/accounts/told-commit.ts). */
    commits: textArray().defaultSql("'{}'"),
    /** What the other kinds are about. */
    ids: int8Array().defaultSql("'{}'"),
    note: json().nullable(),
  },
  indexes: {
    node_log_xid: '(xid)',
    node_log_reboots: "(note) WHERE kind = 'sessions' AND note IS NOT NULL",
  },
})

/**
 * Addresses that one node alone gives out. It holds them for as long as it is alive and for 15 minutes more; one that
 * ends gives them back.
 */
export const PoolBlock = entity('pool_blocks', {
  columns: {
    /** The lowest address as a number, and how many there are. */
    first: int8().primary(),
    size: integer(),
    node: integer(),
    /** The data folder in which the node remembers what it has offered. */
    folder: uuid(),
    /** Whoever held it has ended, and its last offers lapse then; null while it is held. */
    until: moment().nullable(),
  },
})
