import type { Model } from '../../../platform/records/model.ts'
import { abonents } from './abonents.ts'
import { adminAccounts } from '../../../billing/accounts/account-record.ts'
import { cards } from './cards.ts'
import { financeOperations } from './finance-operations.ts'
import { hdsk } from './hdsk.ts'
import { homes } from './homes.ts'
import { ipPull } from './ip-pull.ts'
import { nas } from './nas.ts'
import { switches } from './switch.ts'
import { tarif } from './tarif.ts'
import { users } from './users.ts'
import { usluga } from './usluga.ts'

/** The models in the order of specification 2.1. */
export const models: readonly Model[] = [
  abonents,
  tarif,
  usluga,
  users,
  nas,
  switches,
  homes,
  ipPull,
  financeOperations,
  adminAccounts,
  hdsk,
  cards,
]
