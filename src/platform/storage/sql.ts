import type { PoolClient } from 'pg'

/** Anything that runs one statement: a client inside a transaction. */
export type Client = Pick<PoolClient, 'query'>
