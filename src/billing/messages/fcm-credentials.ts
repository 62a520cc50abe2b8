import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { membersOf } from '../../platform/formats/json.ts'
import { StartRefusal } from '../../platform/start-refusal.ts'
import { readJson } from './http-answer.ts'

/** The parts of a Google service account that sending pushes needs. */
export type FcmCredentials = {
  readonly project: string
  readonly clientEmail: string
  readonly key: KeyObject
  /** The token endpoint, where a signed assertion is exchanged for an access token. */
  readonly tokenUrl: string
}

const defaultTokenUrl = 'https://oauth2.googleapis.com/token'

/**
 * Reads the JSON key file that Google issues for a service account. Throws StartRefusal, whose text never quotes the
 * file.
 */
export function readFcmCredentials(file: string): FcmCredentials {
  const account = readObject(file)
  const field = (name: string): string => {
    const value = account[name]
    if (typeof value === 'string' && value !== '') return value
    throw refusal(file, `has no "${name}"`)
  }
  const [project, clientEmail, pem] = [field('project_id'), field('client_email'), field('private_key')]
  const tokenUrl = account.token_uri === undefined ? defaultTokenUrl : field('token_uri')
  try {
    return { project, clientEmail, key: createPrivateKey(pem), tokenUrl }
  } catch {
    throw refusal(file, 'has a "private_key" that is no key in PEM form')
  }
}

function readObject(file: string): Readonly<Record<string, unknown>> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw refusal(file, `cannot be read (${(error as { code?: unknown }).code})`)
  }
  // The parser's own error would quote the file.
  const value = readJson(text)
  if (value === null || typeof value !== 'object') throw refusal(file, 'is not JSON')
  return membersOf(value)
}

const refusal = (file: string, what: string) =>
  new StartRefusal(
    `TOLLGATE_FCM_CREDENTIALS names ${file}, which ${what}. It must be the JSON file of a service account of the Firebase project (console.firebase.google.com, Project settings, Service accounts, Generate new private key).`,
  )
