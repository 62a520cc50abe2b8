/**
 * The words by which names are searched: in lower case, ё as е, cut at spaces and punctuation. Indexes of abonents and
 * homes hold exactly these SQL expressions, so whoever changes them writes a migration.
 */

/**
 * The signs that separate words as a space does. They are few, because each of them is looked for at each character of
 * a name.
 */
const gaps = `-.,/"'«»()`
const gapPattern = /[-.,/"'«»()\s\p{Cc}]+/u

/** The words of a text as somebody typed it. */
export const searchWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .split(gapPattern)
    .filter((word) => word !== '')

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The same in SQL: words with one space between them; a run of more than four gaps may count as two. */
export const plainTextSql = (text: string): string => {
  const spaced = `translate(lower(${text}), ${literal(`ё${gaps}`)}, 'е${' '.repeat(gaps.length)}')`
  return `ltrim(replace(replace(${spaced}, '  ', ' '), '  ', ' '))`
}

/** The word at a place, from 1 on; empty behind the last. Bytes are compared, so that beginnings are ranges. */
export const wordSql = (text: string, place: number): string =>
  `(split_part(${plainTextSql(text)}, ' ', ${place}) COLLATE "C")`

/** A letter that no word has. A word with this letter appended comes after all words that begin with it. */
export const afterWords = '\u{10ffff}'

/**
 * SQL: the order of found names, the surest first: those that begin with the first of the words, then those that have
 * more of them as whole words. `words` is the parameter with the words, at least one.
 */
export const nameOrderSql = (name: string, words: string): string => {
  const plain = `(' ' || ${plainTextSql(name)} || ' ')`
  return `starts_with(${plain}, ' ' || (${words}::text[])[1]) DESC,
    (SELECT count(*) FROM unnest(${words}::text[]) AS word WHERE strpos(${plain}, ' ' || word || ' ') > 0) DESC, ${name}`
}
