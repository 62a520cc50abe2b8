import { Refused } from '../../api/client.ts'

/**
 * The dictionaries say in words alone what is wrong with a field. Where a form knows what a refusal of a field means,
 * it gives it a code of the catalogue, so that it is said in the language of the user.
 */
export async function asFields<A>(sent: Promise<A>, codes: Readonly<Record<string, string>> = {}): Promise<A> {
  try {
    return await sent
  } catch (error) {
    if (!(error instanceof Refused) || Object.keys(error.fields).length === 0) throw error
    const { status, message, fields, requestId } = error
    throw new Refused(status, { error: message, code: 'wrong_field', errors: fields, codes }, requestId)
  }
}

/** A value of a record as a field of a form has it. */
export const textOf = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

/** What was typed, or null for nothing. */
export const orNull = (typed: string): string | null => (typed.trim() === '' ? null : typed.trim())
