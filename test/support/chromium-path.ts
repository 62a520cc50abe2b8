import { existsSync } from 'node:fs'

/** The same engine without the profiles, services and windows about it, for less than half of the CPU. */
const shell = '/usr/bin/chromium-headless-shell'

export const chromiumPath = (): string => (existsSync(shell) ? shell : '/usr/bin/chromium')
