import type { PoolClient, QueryResultRow } from 'pg'
import Type, { type Static } from 'typebox'
import { plainTextSql } from '../../../domain/search-words.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import type { Question } from './question.ts'

export const itemSchema = Type.Object({
  id: schemas.integer,
  title: schemas.text,
  subtitle: schemas.text,
  path: Type.String({ description: 'The screen of the console' }),
  deleted: Type.Optional(Type.Literal(true, { description: 'A subscriber who is marked deleted' })),
})

/** One line of an answer. */
export type Item = Static<typeof itemSchema>

/** A question of somebody who may see these organizations, and how many lines of each kind they want. */
export type Asked = {
  readonly question: Question
  readonly visible: VisibleOrganizations
  readonly limit: number
  readonly client: PoolClient
}

export type Find = (asked: Asked) => Promise<Item[]>

/**
 * Every way of looking has an index, and most questions find few rows of few ways. A plan that reads whole tables, or
 * collects all that a common word finds before the limit counts, is what the planner takes for an average value; so it
 * is told not to. Plans are made once for a connection: making one costs more than all that it reads.
 */
export const plannerSql =
  'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL plan_cache_mode = force_generic_plan'

/** The rows of a statement that the connection remembers by its name. */
export async function rowsOf<Row extends QueryResultRow>(
  client: PoolClient,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await client.query<Row>({ name: `search-${name}`, text, values: [...values] })
  return rows
}

/**
 * Each word begins a word of the text; `patterns` is the parameter with `patternsOf` them. One operator for all words:
 * a subquery for each row would take longer than everything else.
 */
export const beginWordsSql = (text: string, patterns: string): string =>
  `' ' || ${plainTextSql(text)} LIKE ALL(${patterns}::text[])`

/** What is typed is no pattern, so the signs of LIKE are escaped. */
export const patternsOf = (words: readonly string[]): string[] =>
  words.map((word) => `% ${word.replace(/[\\%_]/g, '\\$&')}%`)

/** Parts of a subtitle, those that there are. */
export const joined = (...parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' · ')
