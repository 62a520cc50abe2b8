/** The values of one SQL statement. User input reaches a statement only through here. */
export class Parameters {
  readonly values: unknown[] = []

  /** The placeholder of a value. */
  place(value: unknown): `$${number}` {
    return `$${this.values.push(value)}`
  }

  /** The placeholder with a cast to its type. */
  add(value: unknown, cast: string): string {
    return `${this.place(value)}::${cast}`
  }
}
