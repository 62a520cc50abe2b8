import type { AccountParts } from '../../../billing/accounts/account-writes.ts'
import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { get, post, remove } from '../doors.ts'
import { FileExports } from '../file-exports.ts'
import { bulkDoc, changeMany } from './bulk.ts'
import { cardDoc, showAccount } from './card.ts'
import { csvDoc, exportAccounts } from './csv.ts'
import { Kpis } from './kpi.ts'
import { linkClient, linkDoc, unlinkClient, unlinkDoc } from './links.ts'
import { listAccounts, listDoc } from './list.ts'
import { paymentDoc, type PaymentParts, takePayment } from './payment.ts'
import { bankRowsDoc, listBankRows, summarizeReceipts, summaryDoc } from './receipts.ts'
import { changeAccount, changeDoc, createAccount, createDoc, deleteAccount, deleteDoc } from './saving.ts'
import { servicesDoc, showServices } from './services.ts'
import { reverseLast, stornoDoc } from './storno.ts'

type Work = (parts: AccountParts, call: Call) => Promise<Reply>

/** The personal accounts of the web admin (specification 4.11): every endpoint. */
export function accountRoutes(parts: PaymentParts): Route[] {
  const kpis = new Kpis()
  const exports = new FileExports(parts)
  const forgetting = (work: Work) => async (call: Call) => {
    try {
      return await work(parts, call)
    } finally {
      kpis.forget()
    }
  }
  const change = (path: string, doc: RouteDoc, work: Work, options?: Pick<Route, 'right'>) =>
    post(`${base}/${path}`, doc, forgetting(work), options)
  return [
    get(`${base}/accounts_json`, listDoc, (call) => listAccounts(parts, kpis, call)),
    get(`${base}/accounts_csv`, csvDoc, (call) => exportAccounts(exports, call)),
    get(`${base}/accounts_get/:id`, cardDoc, (call) => showAccount(parts, call)),
    get(`${base}/accounts_services/:id`, servicesDoc, (call) => showServices(parts, call)),
    get(`${base}/accounts_payments_summary/:id`, summaryDoc, (call) => summarizeReceipts(parts, call)),
    get(`${base}/accounts_bank_ops/:id`, bankRowsDoc, (call) => listBankRows(parts, call)),
    change('accounts_crud', createDoc, createAccount),
    change('accounts_crud/:id', changeDoc, changeAccount),
    remove(`${base}/accounts_crud/:id`, deleteDoc, forgetting(deleteAccount)),
    change('accounts_link/:id', linkDoc, linkClient),
    change('accounts_unlink/:id/:abonent_id', unlinkDoc, unlinkClient),
    change('accounts_bulk', bulkDoc, changeMany),
    change('accounts_payment/:id', paymentDoc, (_, call) => takePayment(parts, call), {
      right: recordRights.operation.create,
    }),
    change('accounts_storno/:id', stornoDoc, reverseLast, { right: recordRights.operation.create }),
  ]
}

const base = '/admin/Abonents'
