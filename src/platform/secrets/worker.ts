import { workerData } from 'piscina'
import { Secrets } from './secrets.ts'

const secrets = Secrets.ofKeys(workerData as readonly Uint8Array[])

/** The thread of SecretOpener runs this. */
export default (sealed: readonly string[]): (string | null)[] => sealed.map((one) => secrets.openOrNull(one))
