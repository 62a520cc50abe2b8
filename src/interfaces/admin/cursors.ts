import { field } from '../../platform/http/fields.ts'
import { schemas } from '../../platform/http/schemas.ts'

/** Where the next page of a list begins: strictly after the row with this value of the sort and this id. */
export type Place = { readonly value: string; readonly id: number }

const lengthMax = 2_000

/** Callers get a cursor and send it back; what is in it is nobody's business but ours. */
export const cursorOf = ({ value, id }: Place): string => Buffer.from(JSON.stringify([value, id])).toString('base64url')

/** A field of a query with the `next_cursor` of the answer before. */
export const cursor = field<Place>(schemas.text, 'be the next_cursor of an answer', (sent) => {
  if (typeof sent !== 'string' || sent.length > lengthMax) return null
  try {
    const read: unknown = JSON.parse(Buffer.from(sent, 'base64url').toString('utf8'))
    if (!Array.isArray(read) || read.length !== 2) return null
    const [value, id] = read as readonly unknown[]
    return typeof value === 'string' && !value.includes('\0') && Number.isSafeInteger(id)
      ? { value, id: id as number }
      : null
  } catch {
    return null
  }
})
