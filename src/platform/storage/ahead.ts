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

/** The items of both sources, one of each in turn, and then the rest of the longer one. */
export async function* inTurn<Item>(one: AsyncGenerator<Item>, other: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let [present, next] = [one, other]
  try {
    for (let item = await present.next(); !item.done; item = await present.next()) {
      yield item.value
      ;[present, next] = [next, present]
    }
    yield* next
  } finally {
    await Promise.all([present.return(null), next.return(null)])
  }
}
