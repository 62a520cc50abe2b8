import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { missing } from './missing.ts'

/**
 * Makes sure that the file of a Debian package is there: installs the packages when we are root, without starting their
 * services, and throws Missing where that cannot be.
 */
export function needPackages(file: string, packages: string): void {
  if (existsSync(file)) return
  if (process.getuid?.() === 0) {
    process.stderr.write(`installing ${packages}\n`)
    try {
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
      execFileSync('apt-get', ['update'], { stdio: 'pipe', env })
      execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages.split(' ')], {
        stdio: 'pipe',
        env,
      })
    } catch {
      // No network, or no Debian: said below.
    }
  }
  if (!existsSync(file)) throw missing(file, packages)
}
