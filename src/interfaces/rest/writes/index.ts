import type { Model } from '../description.ts'
import { abonents } from '../models/abonents.ts'
import { adminAccounts } from '../models/admin-accounts.ts'
import { financeOperations } from '../models/finance-operations.ts'
import { homes } from '../models/homes.ts'
import { nas } from '../models/nas.ts'
import { users } from '../models/users.ts'
import type { RestParts } from '../parts.ts'
import { Saving } from '../saving.ts'
import { abonentWrites } from './abonents.ts'
import { adminAccountWrites } from './admin-accounts.ts'
import { financeOperationWrites } from './finance-operations.ts'
import { homeWrites } from './homes.ts'
import { userWrites } from './users.ts'
import type { Writes } from './writes.ts'

/** What `auto` learned about a NAS is learned again after every save (contract section 6). */
const forgetsWhatWasLearned = async () => [
  { column: 'learned_message_authenticator', value: null, cast: 'bool' },
  { column: 'learned_proxy_state', value: null, cast: 'bool' },
]

const special: ReadonlyMap<Model, (parts: RestParts) => Writes> = new Map([
  [abonents, abonentWrites],
  [users, userWrites],
  [homes, homeWrites],
  [adminAccounts, adminAccountWrites],
  [financeOperations, financeOperationWrites],
  [nas, (parts) => new Saving(parts, nas, { derive: forgetsWhatWasLearned })],
])

export const writesOf = (parts: RestParts, model: Model): Writes =>
  special.get(model)?.(parts) ?? new Saving(parts, model)
