import { defaultOrganization } from '../../../domain/ids.ts'
import { afterWords, nameOrderSql, wordSql } from '../../../domain/search-words.ts'
import { type Asked, beginWordsSql, patternsOf, rowsOf } from './asked.ts'

/**
 * Subscribers by the words of their names, in any order, each as far as it is typed. A word that few names have is
 * looked up and the others are compared. Where every word is common, as in `Иванов Иван`, two of them are looked up
 * together: any two of the first three words of a name stand side by side in one of three indexes. So nobody reads the
 * hundred thousand rows of a first name, whoever asks: organizations are the first column of each index.
 */
export async function subscribersByName(asked: Asked): Promise<string[]> {
  const { words } = asked.question
  if (words.length === 0) return []
  const rare = await rarest(asked)
  if (rare) return matching(asked, rare)
  return matching(asked, await byTwoWords(asked))
}

/** The organizations of `$1`, null meaning all, so that they are values of the first column. */
const seen = 'ARRAY(SELECT organizations.id FROM organizations WHERE $1::int8[] IS NULL OR id = ANY($1::int8[]))'
const mine = `coalesce(organization_id, ${defaultOrganization}) = ANY(${seen}) AND deleted = ANY('{false,true}'::bool[])`

const nameWord = (place: number): string => wordSql('name', place)
const begins = (text: string, word: string): string => `${text} >= ${word} AND ${text} < ${word} || '${afterWords}'`

/** The first words stand in indexes with the following one, the later ones in indexes of the names that have them. */
const places = [1, 2, 3, 4, 5]
const laterFrom = 4
/** Names that have a word at one of the places; a word that has fewer everywhere is looked up as a whole. */
const rareMax = 60

const rareSql = `SELECT asked.n::int4 AS n, array_agg(found.id) AS ids, max(found.count)::int4 AS most
  FROM unnest($2::text[]) WITH ORDINALITY AS asked(word, n), LATERAL (
    ${places
      .map(
        (place) => `SELECT id, count(*) OVER () AS count FROM (SELECT id FROM abonents WHERE ${mine}
          AND ${begins(nameWord(place), 'asked.word')} ${place >= laterFrom ? `AND ${nameWord(place)} <> ''` : ''}
          LIMIT ${rareMax}) AS of_place`,
      )
      .join(' UNION ALL ')}
  ) AS found GROUP BY asked.n`

/** Those who have the rarest word; one word alone need not be rare. Null: every word is common. */
async function rarest(asked: Asked): Promise<string[] | null> {
  const { question, client, visible } = asked
  const { words } = question
  type Row = { n: number; ids: string[]; most: number }
  const rows = await rowsOf<Row>(client, 'rare', rareSql, [visible, words])
  const [only] = rows
  if (words.length === 1 || !only) return only?.ids ?? []
  // A word that is at none of the places may stand behind them: it is compared.
  const rare = rows.filter(({ most }) => most < rareMax).sort((a, b) => a.ids.length - b.ids.length)
  return rare[0]?.ids ?? null
}

const pairs = [
  [1, 2],
  [2, 3],
  [3, 1],
] as const
const foundMax = 40

const twoWordsSql = pairs
  .flatMap(([first, second]) =>
    [
      ['$2', '$3'],
      ['$3', '$2'],
    ].map(
      ([a, b]) => `(SELECT id FROM abonents WHERE ${mine} AND ${begins(nameWord(first), `${a}::text`)}
        AND ${begins(nameWord(second), `${b}::text`)} AND ${beginWordsSql('name', '$4')} LIMIT ${foundMax})`,
    ),
  )
  .join(' UNION ALL ')

/** By the first two words; the others are compared. */
async function byTwoWords({ question: { words }, client, visible }: Asked): Promise<string[]> {
  const values = [visible, words[0], words[1], patternsOf(words.slice(2))]
  const rows = await rowsOf<{ id: string }>(client, 'two-words', twoWordsSql, values)
  return rows.map(({ id }) => id)
}

/** Who is deleted is at the end. */
const matchingSql = `SELECT id FROM abonents WHERE id = ANY($1::int8[]) AND ${beginWordsSql('name', '$4')}
  ORDER BY deleted, ${nameOrderSql('name', '$2')}, id LIMIT $3`

async function matching({ question: { words }, client, limit }: Asked, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await rowsOf<{ id: string }>(client, 'matching', matchingSql, [ids, words, limit, patternsOf(words)])
  return rows.map(({ id }) => id)
}
