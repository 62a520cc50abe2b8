/** A first-in, first-out queue that does not move the remaining items at every step. */
export class Queue<Item> {
  #items: Item[] = []
  #head = 0

  get length(): number {
    return this.#items.length - this.#head
  }

  push(item: Item): void {
    this.#items.push(item)
  }

  first(): Item | undefined {
    return this.#items[this.#head]
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head++]
    if (this.#head >= 1024 && this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  rest(): readonly Item[] {
    return this.#items.slice(this.#head)
  }
}
