import type { Present } from '../moments.ts'
import type { ReplyLine } from '../records.ts'
import { type Checks, type Item, type Replies, readChecks, readReplies } from './items.ts'

export type Group = { readonly name: string; readonly checks: Checks; readonly replies: Replies }

/** The groups of FreeRADIUS, and which of them count for somebody. */
export class Groups {
  readonly #groups = new Map<string, Group>()
  readonly #present: Present

  constructor(
    checks: ReadonlyMap<string, readonly Item[]>,
    replies: ReadonlyMap<string, readonly Item[]>,
    present: Present,
  ) {
    this.#present = present
    for (const name of new Set([...checks.keys(), ...replies.keys()])) {
      const read = {
        checks: readChecks(checks.get(name) ?? [], present),
        replies: readReplies(replies.get(name) ?? []),
      }
      this.#groups.set(name, { name, ...read })
    }
  }

  all(): Iterable<Group> {
    return this.#groups.values()
  }

  /** A group without items of its own has members only. */
  find(name: string): Group {
    return this.#groups.get(name) ?? { name, checks: readChecks([], this.#present), replies: readReplies([]) }
  }

  /**
   * Those that count for a member of `names`, in the order of their priority: the first, and the next one after each
   * that says Fall-Through.
   */
  counting(names: readonly string[]): readonly Group[] {
    const counting: Group[] = []
    for (const name of names) {
      const group = this.find(name)
      counting.push(group)
      if (group.replies.fallThrough !== true) break
    }
    return counting
  }
}

/**
 * The attributes of a login of his own, where the others come from the first of his groups by the tariff. As
 * FreeRADIUS merges them: `=` adds what is not there yet, `:=` replaces, `+=` adds.
 */
export function ownLines(
  own: readonly ReplyLine[],
  tariff: readonly ReplyLine[],
  further: readonly (readonly ReplyLine[])[],
): readonly ReplyLine[] {
  const lines = [...own]
  const has = (name: string, list: readonly ReplyLine[]) =>
    list.some((line) => line.name.toLowerCase() === name.toLowerCase())
  for (const group of further) {
    for (const line of group) {
      if (line.op === '+=' || !(has(line.name, lines) || has(line.name, tariff))) lines.push(line)
    }
  }
  return lines
}
