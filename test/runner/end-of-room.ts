type Deed = () => Promise<unknown>

const deeds: Deed[] = []

/**
 * What the test files of a process share is closed after the last of them. A teardown of tap's root is not for that: with
 * one the root ends by itself as soon as it waits for the next file, which would then never run.
 */
export function atEndOfRoom(deed: Deed): void {
  deeds.push(deed)
}

export async function endRoom(): Promise<void> {
  await Promise.all(deeds.map((deed) => deed()))
}
