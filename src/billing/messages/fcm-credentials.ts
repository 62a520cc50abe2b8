import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { StartRefusal } from '../../platform/start-refusal.ts'

/** What of a service account of Google is needed to send pushes. */
export type FcmCredentials = {
  readonly project: string
  readonly clientEmail: string
  readonly key: KeyObject
  /** Where a signed assertion becomes an access token. */
  readonly tokenUrl: string
}

const usualTokenUrl = 'https://oauth2.googleapis.com/token'

/**
 * Reads the JSON file Google gives for a service account. Throws StartRefusal, which never shows what is in the file.
 */
export function readFcmCredentials(file: string): FcmCredentials {
  const account = readObject(file)
  const field = (name: string): string => {
    const value = account[name]
    if (typeof value === 'string' && value !== '') return value
    throw refusal(file, `has no "${name}"`)
  }
  const [project, clientEmail, pem] = [field('project_id'), field('client_email'), field('private_key')]
  const tokenUrl = account.token_uri === undefined ? usualTokenUrl : field('token_uri')
  try {
    return { project, clientEmail, key: createPrivateKey(pem), tokenUrl }
  } catch {
    throw refusal(file, 'has a "private_key" that is no key in PEM form')
  }
}

function readObject(file: string): Record<string, unknown> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw refusal(file, `cannot be read (${(error as { code?: unknown }).code})`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (value !== null && typeof value === 'object') return value as Record<string, unknown>
  } catch {
    // Said below; the error of the parser would quote the file.
  }
  throw refusal(file, 'is not JSON')
}

const refusal = (file: string, what: string) =>
  new StartRefusal(
    `TOLLGATE_FCM_CREDENTIALS names ${file}, which ${what}. It must be the JSON file of a service account of the Firebase project (console.firebase.google.com, Project settings, Service accounts, Generate new private key).`,
  )
