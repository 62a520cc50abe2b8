/** The values of one SQL statement. User input reaches a statement only through here. */
export class Parameters {
  readonly values: unknown[] = []

  /** The placeholder of a value, with its type. */
  add(value: unknown, cast: string): string {
    this.values.push(value)
    return `$${this.values.length}::${cast}`
  }
}
