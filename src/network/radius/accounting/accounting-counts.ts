/** What has been done since the start of the program, for metrics. */
export type AccountingCounts = {
  start: number
  interim: number
  stop: number
  on: number
  off: number
  stored: number
  spooled: number
  drained: number
  /** Not answered, because the spool could not be written. */
  unsaved: number
  /** Not answered, because the database refuses the record and always would. */
  refused: number
  statements: number
}
