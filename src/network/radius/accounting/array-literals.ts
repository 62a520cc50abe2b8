/**
 * Array literals for unnest, written by hand: node-postgres builds them element by element at ten times the cost, and
 * accounting is a hot path.
 */

/** Numbers and booleans need no quotes; null is NULL. */
export function numbers(values: readonly (number | bigint | boolean | null)[]): string {
  let literal = '{'
  for (let i = 0; i < values.length; i++) literal += i === 0 ? (values[i] ?? 'NULL') : `,${values[i] ?? 'NULL'}`
  return `${literal}}`
}

export function texts(values: readonly (string | null)[]): string {
  let literal = '{'
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (i > 0) literal += ','
    if (value === null || value === undefined) literal += 'NULL'
    else if (value.includes('"') || value.includes('\\')) literal += `"${value.replace(/["\\]/g, '\\$&')}"`
    else literal += `"${value}"`
  }
  return `${literal}}`
}
