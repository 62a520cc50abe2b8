const pageBits = 13
const pageSize = 1 << pageBits

type Page = Uint8Array | Uint32Array

/** One number for each id, in pages, because ids have gaps; 0 where none was set. */
export class NumbersById<P extends Page> {
  readonly #newPage: new (
    length: number,
  ) => P
  readonly #pages = new Map<number, P>()

  constructor(newPage: new (length: number) => P) {
    this.#newPage = newPage
  }

  set(id: number, value: number): void {
    const number = Math.floor(id / pageSize)
    let page = this.#pages.get(number)
    if (page === undefined) {
      if (value === 0) return
      page = new this.#newPage(pageSize)
      this.#pages.set(number, page)
    }
    page[id & (pageSize - 1)] = value
  }

  get(id: number): number {
    return this.#pages.get(Math.floor(id / pageSize))?.[id & (pageSize - 1)] ?? 0
  }

  /** The numbers of neighbouring ids by the number of their page. The same ids have the same place in any table. */
  get pages(): ReadonlyMap<number, P> {
    return this.#pages
  }
}
