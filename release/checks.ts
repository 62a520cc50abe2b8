/** What a release is made of. */
export type Checkout = {
  readonly wanted: string
  /** The version that package.json has. */
  readonly present: string
  /** As `git status --porcelain` lists them. */
  readonly changes: string
  readonly branch: string
  readonly tags: readonly string[]
  readonly changelog: string
  readonly isLicencesCurrent: boolean
}

const heading = '## Unreleased'

/** What is in the way of a release, in sentences that say what to do. */
export function faultsOf({ wanted, present, changes, branch, tags, changelog, isLicencesCurrent }: Checkout): string[] {
  const faults: string[] = []
  if (!/^\d+\.\d+\.\d+$/.test(wanted)) return ['Name the version to be released, such as `npm run release -- 0.2.0`.']
  if (numberOf(wanted) < numberOf(present)) faults.push(`${wanted} is older than ${present}, which package.json has.`)
  if (tags.includes(`v${wanted}`)) faults.push(`There is a tag v${wanted} already: choose the next version.`)
  if (branch !== 'main') faults.push(`Releases are made on main, and this is ${branch || 'no branch'}.`)
  if (changes !== '') faults.push('There are changes that are not committed: commit them, or put them away.')
  if (unreleased(changelog).trim() === '')
    faults.push(`CHANGELOG.md has nothing under "${heading}": say what users notice.`)
  if (!isLicencesCurrent)
    faults.push('LICENCES.txt is not that of these packages: `node release/licences.ts` writes it.')
  return faults
}

/** What was not released yet becomes the section of the version. */
export function releasedChangelog(changelog: string, version: string, day: Date): string {
  return changelog.replace(heading, `${heading}\n\n## ${version} (${day.toISOString().slice(0, 10)})`)
}

const unreleased = (changelog: string): string =>
  /^## Unreleased$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(changelog)?.[1] ?? ''

/** Comparable, as long as no part has more than six digits. */
const numberOf = (version: string): number =>
  version.split('.').reduce((sum, part) => sum * 1_000_000 + Number(part), 0)
