import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const path = 'node_modules/.cache/tollgate/test-seconds.json'

/** Seconds of each test file in its last run on this machine; empty before the first. */
export function rememberedSeconds(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>
  } catch {
    return {}
  }
}

export function rememberSeconds(times: readonly { file: string; seconds: number }[]): void {
  const all = { ...rememberedSeconds(), ...Object.fromEntries(times.map(({ file, seconds }) => [file, seconds])) }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(all))
}
