/** The items of a source, each of which is asked for while the one before is used. */
export async function* ahead<Item>(source: AsyncGenerator<Item>): AsyncGenerator<Item> {
  try {
    for (let next = asked(source); ; ) {
      const { done, value } = await next
      if (done) return
      next = asked(source)
      yield value
    }
  } finally {
    await source.return(null)
  }
}

/** A failure is of whoever awaits the item; nobody does after an earlier one. */
function asked<Item>(source: AsyncGenerator<Item>): Promise<IteratorResult<Item>> {
  const next = source.next()
  next.catch(() => {})
  return next
}
