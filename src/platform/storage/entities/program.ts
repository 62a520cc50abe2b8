import { boolean, createdNow, id, int8, integer, json, looseId, moment, sealed, text } from '../columns.ts'
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

export const JobRun = entity('job_runs', {
  columns: {
    id: id(),
    name: text(),
    started_at: moment(),
    ended_at: moment().nullable(),
    ok: boolean().nullable(),
    result: json<Record<string, unknown>>().nullable(),
    again: boolean().default(false),
  },
  indexes: {
    job_runs_name: '(name, started_at DESC)',
    job_runs_open: '(name) WHERE ok IS NULL',
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
