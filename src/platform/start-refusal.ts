/** The program cannot start as it is set up. The message is for the operator, complete, and says what to do. */
export class StartRefusal extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartRefusal'
  }
}
