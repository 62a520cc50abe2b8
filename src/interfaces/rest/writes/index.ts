import type { Model } from '../../../platform/records/model.ts'
import { abonents } from '../models/abonents.ts'
import { adminAccounts } from '../../../billing/accounts/account-record.ts'
import { financeOperations } from '../models/finance-operations.ts'
import { homes } from '../models/homes.ts'
import { nas } from '../models/nas.ts'
import { usluga } from '../models/usluga.ts'
import { users } from '../models/users.ts'
import type { RestParts } from '../parts.ts'
import { abonentWrites } from './abonents.ts'
import { financeOperationWrites } from './finance-operations.ts'
import { homeWrites } from './homes.ts'
import { nasWrites } from './nas.ts'
import { userWrites } from './users.ts'
import { accountWriter, removeAccount } from '../../../billing/accounts/account-writes.ts'
import { serviceSteps } from '../../../billing/accounts/service-record.ts'
import { RecordWriter } from '../../../platform/records/record-writer.ts'
import { type Writes, writesThrough } from './writes.ts'

const special: ReadonlyMap<Model, (parts: RestParts) => Writes> = new Map([
  [abonents, abonentWrites],
  [users, userWrites],
  [homes, homeWrites],
  [
    adminAccounts,
    (parts) =>
      writesThrough(parts, adminAccounts, {
        save: (call, id, body) => accountWriter(parts).save(call, id, body),
        remove: (call, id) => removeAccount(parts, call, id),
      }),
  ],
  [financeOperations, financeOperationWrites],
  [nas, nasWrites],
  [usluga, (parts) => writesThrough(parts, usluga, new RecordWriter(parts, usluga, serviceSteps))],
])

export const writesOf = (parts: RestParts, model: Model): Writes =>
  special.get(model)?.(parts) ?? writesThrough(parts, model, new RecordWriter(parts, model))
