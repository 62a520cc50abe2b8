import { afterWords, plainTextSql, wordSql } from '../../../domain/search-words.ts'
import { addressSql } from '../../../platform/storage/addresses.ts'
import { type Asked, type Item, patternsOf, rowsOf } from './asked.ts'

/** What an address leads to. */
export type FoundHomes = {
  readonly items: readonly Item[]
  /** The houses whose number is the typed one, and the flat in them. */
  readonly houses: readonly string[]
  readonly flat: string | null
}

type Place = { readonly id: string; readonly way: string }

const none: FoundHomes = { items: [], houses: [], flat: null }

/** Cities and streets by their words, and where a number is typed the houses in them. Homes belong to everybody. */
export async function findHomes(asked: Asked): Promise<FoundHomes> {
  const { question, limit } = asked
  if (!question.home) return none
  const places = await placesOf(asked, question.home.words)
  if (places.length === 0) return none
  const wanted = places.map(({ id, way }) => ({ id, numbers: numbersBeyond(way, question.home!.numbers) }))
  const flat = wanted[0]!.numbers[1] ?? null
  const numbered = wanted.filter(({ numbers }) => numbers.length > 0)
  if (numbered.length === 0) return { items: items(places.slice(0, limit)), houses: [], flat: null }
  const houses = await housesOf(asked, numbered)
  return {
    items: items(houses.slice(0, limit)),
    houses: houses.filter(({ isWhole }) => isWhole).map(({ id }) => id),
    flat,
  }
}

const items = (places: readonly Place[]): Item[] =>
  places.map(({ id, way }) => ({ id: Number(id), title: way, subtitle: '', path: `/admin/subscribers/?home=${id}` }))

/** The number of `8 Марта` is of the street, not of a house. */
function numbersBeyond(way: string, numbers: readonly string[]): string[] {
  const own = new Set(way.toLowerCase().split(/[^\p{L}\d]+/u))
  return numbers.filter((number) => !own.has(number))
}

const lookedAtMax = 300
const placesMax = 20
const way = addressSql('node.id', 'NULL::text')
/** A street with its city and what is above that; the whole way is written for those alone that are shown. */
const named = `concat_ws(' ', above.name, city.name, node.name)`
const wholeWords = `(SELECT count(*) FROM unnest($1::text[]) AS word WHERE strpos(' ' || plain || ' ', ' ' || word || ' ') > 0)`

const placesSql = `SELECT node.id, ${way} AS way FROM (
    SELECT node.id, row_number() OVER (ORDER BY ${wholeWords} DESC, length(plain), plain, node.id) AS place
    FROM homes AS node LEFT JOIN homes AS city ON city.id = node.parent_id LEFT JOIN homes AS above ON above.id = city.parent_id,
      LATERAL (SELECT ${plainTextSql(named)} AS plain) AS spelled
    WHERE node.id = ANY(ARRAY(
      SELECT found.id FROM unnest($1::text[]) AS asked(word), LATERAL (
        ${[1, 2, 3, 4]
          .map((place) => wordSql('name', place))
          .map(
            (word) => `(SELECT id FROM homes WHERE kind <> 'house' AND ${word} >= asked.word
              AND ${word} < asked.word || '${afterWords}' LIMIT ${lookedAtMax})`,
          )
          .join(' UNION ALL ')}
      ) AS found))
      AND ' ' || plain LIKE ALL($2::text[])
    ORDER BY place LIMIT ${placesMax}
  ) AS chosen JOIN homes AS node ON node.id = chosen.id ORDER BY chosen.place`

/** A street is meant by its own words together with those of its city. */
const placesOf = ({ client }: Asked, words: readonly string[]): Promise<Place[]> =>
  rowsOf<{ id: string; way: string }>(client, 'places', placesSql, [words, patternsOf(words)])

const housesPerPlaceMax = 2000
const housesMax = 50
const number = plainTextSql('house.name')

const housesSql = `SELECT node.id, found.is_whole AS "isWhole", ${way} AS way
  FROM unnest($1::int8[], $2::text[]) AS asked(parent, number), LATERAL (
    SELECT house.id, strpos(' ' || ${number} || ' ', ' ' || asked.number || ' ') > 0 AS is_whole
    FROM (SELECT id, name FROM homes WHERE parent_id = asked.parent AND kind = 'house' LIMIT ${housesPerPlaceMax}) AS house
    WHERE strpos(' ' || ${number}, ' ' || asked.number) > 0
    ORDER BY 2 DESC, length(house.name), house.name LIMIT ${housesMax}
  ) AS found JOIN homes AS node ON node.id = found.id
  ORDER BY found.is_whole DESC, length(node.name), 3 LIMIT ${housesMax}`

async function housesOf(
  { client }: Asked,
  places: readonly { id: string; numbers: readonly string[] }[],
): Promise<(Place & { isWhole: boolean })[]> {
  const values = [places.map(({ id }) => id), places.map(({ numbers }) => numbers[0])]
  return rowsOf(client, 'houses', housesSql, values)
}
