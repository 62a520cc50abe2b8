import { createKeyFile, readKeySource } from '../../src/platform/storage/key-source.ts'
import { Secrets } from '../../src/platform/secrets/secrets.ts'

/** The secrets of a program on this data folder; a key is made where there is none yet. */
export function secretsIn(dataDir: string): Secrets {
  const config = { dataDir, secretKey: null, oldSecretKey: null }
  const [key, ...old] = readKeySource(config).keys
  return new Secrets(key ?? createKeyFile(config), old)
}
