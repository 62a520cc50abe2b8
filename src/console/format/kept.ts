/** What a browser remembers of its user. Where it may not, as in a private window, nothing is remembered. */
const nameOf = (name: string): string => `tollgate.${name}`

export function readKept(name: string): string | null {
  try {
    return localStorage.getItem(nameOf(name))
  } catch {
    return null
  }
}

export function writeKept(name: string, value: string): void {
  try {
    localStorage.setItem(nameOf(name), value)
  } catch {
    // Full or forbidden: the choice lasts until the page is left.
  }
}
