import { workerData } from 'piscina'
import { Secrets, SecretUnreadable } from './secrets.ts'

const [key, ...oldKeys] = (workerData as readonly Uint8Array[]).map((bytes) => Buffer.from(bytes))
const secrets = new Secrets(key!, oldKeys)

/** The thread of SecretOpener runs this. */
export default (sealed: readonly string[]): (string | null)[] => sealed.map(openOrNull)

function openOrNull(sealed: string): string | null {
  try {
    return secrets.open(sealed)
  } catch (error) {
    if (error instanceof SecretUnreadable) return null
    throw error
  }
}
