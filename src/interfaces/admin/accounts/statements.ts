import { patientFor } from '../../../platform/storage/transactions.ts'

/** A statement and its values. */
export type Statement = { readonly text: string; readonly values: readonly unknown[] }

/**
 * The time limit of a search in milliseconds. It is longer than that of other queries, because searching a word that
 * half of all clients have takes some seconds on a busy machine.
 */
export const patientMs = 12_000

const patiently = patientFor(patientMs)

export const patient = ({ text, values }: Statement) => patiently({ text, values: [...values] })

export type Page = { readonly limit: number; readonly offset: number }
