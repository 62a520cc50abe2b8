/** A backup cannot be made, read or restored. The message is for the operator, complete, and says what to do. */
export class BackupRefusal extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupRefusal'
  }
}
