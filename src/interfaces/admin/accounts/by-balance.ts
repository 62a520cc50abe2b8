import type { Client } from '../../../platform/storage/sql.ts'
import { type AccountFilter, type Chip, chipConditions } from './filter.ts'
import { type Page, patient } from './statements.ts'

/** Balances below which and up to which the rows of a page lie, in the order of the list; null: there is no bound. */
type Bounds = { readonly low: string | null; readonly high: string | null }

/** So many accounts are looked at to tell where a page lies. */
const sampled = 10_000

/** Whether nothing but its balance decides that an account is in the list. */
export const isOfBalances = ({ q, chip, visible }: AccountFilter): boolean =>
  q === '' && visible === null && chip !== 'without_client'

/**
 * The ids of a page of accounts in the order of their balances, which have no index because every posting would have to
 * write it. To sort a million of them takes ten times as long as to read them. So a sample tells between which balances
 * the page lies, and one reading counts the accounts before these and gathers those between, the only ones that are
 * sorted. Null: the sample was far from the truth, and all have to be sorted.
 */
export async function keysByBalance(
  client: Client,
  { chip, isDescending }: { readonly chip: Chip | null; readonly isDescending: boolean },
  { limit, offset }: Page,
): Promise<string[] | null> {
  const direction = isDescending ? 'DESC' : 'ASC'
  const isAsked = chip === null ? 'true' : chipConditions[chip]
  const sample = boundsText(isAsked, direction)
  const { rows: found } = await client.query<Bounds>(patient({ text: sample, values: [offset, limit, sampled] }))
  const { low, high } = found[0]!
  const page = pageText(isAsked, direction)
  const { rows } = await client.query<{ before: string; gathered: string; keys: string[] }>(
    patient({ text: page, values: [limit, offset, low, high] }),
  )
  const { keys, ...counted } = rows[0]!
  const before = Number(counted.before)
  const isWhole = before <= offset && (high === null || before + Number(counted.gathered) >= offset + limit)
  return isWhole ? keys : null
}

/**
 * The balances at the places in a sample that are well before the beginning of a page and well behind its end. Where a
 * sample should have so many rows before a place, it has some square roots of that more or less.
 */
const boundsText = (isAsked: string, direction: string): string => `
  SELECT balances[least(floor(begin - 10 - 4 * sqrt(begin)), cardinality(balances))::int4] AS low,
    balances[ceil("end" + 10 + 4 * sqrt("end"))::int4] AS high
  FROM (SELECT balances, $1::float8 * looked_at / total AS begin, ($1::float8 + $2) * looked_at / total AS "end"
    FROM (SELECT sum(rows) AS total FROM row_counts WHERE table_name = 'admin_accounts') AS kept
    CROSS JOIN LATERAL (SELECT count(*) AS looked_at, array_agg(ostatok ORDER BY ostatok ${direction}) FILTER (WHERE ${isAsked}) AS balances
      FROM admin_accounts AS account TABLESAMPLE SYSTEM (least(100, 100.0 * $3 / greatest(kept.total, 1)))) AS sample) AS placed`

/** The accounts from `$3` to `$4`, in the order of the list. */
function pageText(isAsked: string, direction: string): string {
  const before = direction === 'ASC' ? '<' : '>'
  // Both are values of the statement, whether they are bounds or not.
  const isBefore = `($3::int8 IS NOT NULL AND account.ostatok ${before} $3::int8)`
  const isUntil = `($4::int8 IS NULL OR account.ostatok ${before}= $4::int8)`
  return `WITH found AS MATERIALIZED (SELECT count(*) FILTER (WHERE ${isBefore}) AS before,
      array_agg(account.id) FILTER (WHERE NOT ${isBefore}) AS ids,
      array_agg(account.ostatok) FILTER (WHERE NOT ${isBefore}) AS balances
    FROM admin_accounts AS account WHERE ${isAsked} AND ${isUntil})
  SELECT before, coalesce(cardinality(ids), 0) AS gathered, ARRAY(SELECT id FROM unnest(ids, balances) AS row (id, ostatok)
    ORDER BY ostatok ${direction}, id ${direction} LIMIT $1 OFFSET greatest($2::int8 - before, 0)) AS keys FROM found`
}
