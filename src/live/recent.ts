import { type Notice, type NoticeType, sees, type VisibleOrganizations } from './frames.ts'

const keptMax = 200
const shownMax = 50

const kept = ['block.changed', 'payment.credited', 'access.rejected', 'coa.answered'] as const
export type KeptType = (typeof kept)[number]

const isKept = (type: NoticeType): type is KeptType => (kept as readonly string[]).includes(type)

/** The latest notices of a few types, newest first, so that a newly opened screen is not empty. */
export class Recent {
  readonly #kept = new Map<KeptType, Notice[]>(kept.map((type) => [type, []]))

  add(notice: Notice): void {
    if (!isKept(notice.type)) return
    const list = this.#kept.get(notice.type)!
    list.push(notice)
    if (list.length > keptMax * 2) list.splice(0, list.length - keptMax)
  }

  shown(type: KeptType, visible: VisibleOrganizations): Record<string, unknown>[] {
    return this.#kept
      .get(type)!
      .slice(-keptMax)
      .filter(({ audience }) => sees(visible, audience))
      .slice(-shownMax)
      .reverse()
      .map(({ at, fields }) => ({ type, at, ...fields }))
  }
}
