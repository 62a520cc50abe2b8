import type { Right } from './staff-user.ts'

/** What a caller needs to read and to write the records of a kind. All rights of a list are needed. */
export type RecordRights = {
  readonly read: readonly Right[]
  readonly create: readonly Right[]
  readonly change: readonly Right[]
  readonly remove: readonly Right[]
  /**
   * The records concern every organization, so that the web admin takes writes only of staff who see all of them. REST
   * knows no organizations (specification section 1 rule 3).
   */
  readonly isShared?: true
}

const written = (read: Right, write: Right): RecordRights => ({
  read: [read],
  create: [write],
  change: [write],
  remove: [write],
})

/** The rights of every kind of record, at all doors: REST, the dictionaries and the other doors of the web admin. */
export const recordRights = {
  /** Subscribers, accounts, logins, NAS, tariffs and whatever is not named below. */
  usual: written('view', 'change'),
  /** Posting moves money; what describes an operation is changed without moving any. */
  operation: { read: ['view'], create: ['money'], change: ['change'], remove: ['change', 'money'] },
  promise: written('view', 'money'),
  paymentProblem: written('money', 'money'),
  cashShift: written('money', 'money'),
  organization: written('view', 'settings'),
  /** Types of operations, currencies and the attributes of subscribers. */
  classification: { ...written('view', 'settings'), isShared: true },
  /** NAS, pools, tariffs and switches in the web admin; REST treats them as usual. */
  common: { ...written('view', 'change'), isShared: true },
  nasTemplate: { ...written('settings', 'settings'), isShared: true },
  fiscalConfig: written('settings', 'settings'),
  webhook: written('settings', 'settings'),
  setting: { ...written('settings', 'settings'), isShared: true },
  /** A run of a job is created by starting it. */
  job: { ...written('view', 'change'), isShared: true },
  staff: written('system', 'system'),
} as const satisfies Record<string, RecordRights>
