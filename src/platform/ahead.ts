/** The items of a source, each of which is asked for while the one before is used. */
export async function* ahead<Item>(source: AsyncIterable<Item>): AsyncGenerator<Item> {
  const items = source[Symbol.asyncIterator]()
  for (let next = asked(items); ; ) {
    const { done, value } = await next
    if (done) return
    next = asked(items)
    yield value
  }
}

/** A failure is of whoever awaits the item; nobody does after an earlier one. */
function asked<Item>(items: AsyncIterator<Item>): Promise<IteratorResult<Item>> {
  const next = items.next()
  next.catch(() => {})
  return next
}
