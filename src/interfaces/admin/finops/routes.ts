import { recordRights } from '../../../domain/record-rights.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal } from '../../../platform/http/errors.ts'
import { redirect } from '../../../platform/http/reply.ts'
import { get, post, remove } from '../doors.ts'
import { FileExports } from '../file-exports.ts'
import { payLogScreen } from '../former-pages.ts'
import { changeOperation, deleteOperation } from './changing.ts'
import { showOperation } from './detail.ts'
import { docs } from './docs.ts'
import { listOperations } from './list.ts'
import type { FinopsParts } from './parts.ts'
import { createOperation } from './posting.ts'
import { isReportFormat, makeReport } from './report.ts'
import { reverseDoc, reverseOperation } from './reversing.ts'
import { offerCreditTypes, offering, offerServices, offerStaff, searchParents } from './suggestions.ts'
import { OperationTotals } from './totals.ts'

/** Finance operations in the web admin (specification 4.8, 4.12). */
export function finopsRoutes(parts: FinopsParts): Route[] {
  const exports = new FileExports(parts)
  const list = { ...parts, totals: new OperationTotals() }
  const base = '/admin/Abonents'
  return [
    get(`${base}/finops_json`, docs.list, (call) => listOperations(list, call)),
    get(`${base}/finops_detail/:op_id`, docs.detail, (call) => showOperation(parts, call)),
    post(`${base}/finops_crud`, docs.create, (call) => createOperation(parts, call), {
      right: recordRights.operation.create,
    }),
    post(`${base}/finops_crud/:op_id`, docs.change, (call) => changeOperation(parts, call), {
      right: recordRights.operation.change,
    }),
    remove(`${base}/finops_crud/:op_id`, docs.remove, (call) => deleteOperation(parts, call), {
      right: recordRights.operation.remove,
    }),
    post(`${base}/finops_reverse/:op_id`, reverseDoc, (call) => reverseOperation(parts, call), {
      right: recordRights.operation.create,
    }),
    get(`${base}/finops_credit_types`, docs.creditTypes, offering(parts, offerCreditTypes)),
    get(`${base}/finops_staff_users`, docs.staff, offering(parts, offerStaff)),
    get(`${base}/finops_uslugi`, docs.services, offering(parts, offerServices)),
    get(`${base}/finops_search`, docs.search, (call) => searchParents(parts, call)),
    get(`${base}/download_operations`, docs.download, (call) => download(exports, call)),
    get('/admin/reports/PayLog', docs.payLog, (call) => payLog(list, exports, call)),
  ]
}

function download(exports: FileExports, call: Call): Reply {
  const format = call.query.get('format') || 'csv'
  if (isReportFormat(format)) return makeReport(exports, call, { name: 'operations', format })
  return refusal('admin', 400, 'format: It must be one of csv, xlsx.')
}

/** A browser that asks for no format comes to the screen. */
function payLog(
  list: FinopsParts & { totals: OperationTotals },
  exports: FileExports,
  call: Call,
): Reply | Promise<Reply> {
  const format = call.query.get('format') || (call.header('accept').includes('text/html') ? 'html' : 'json')
  const onlyDocuments = true
  if (format === 'html') return redirect(payLogScreen(call))
  if (format === 'json') return list.countings.answer(call, () => listOperations(list, call, { onlyDocuments }))
  if (isReportFormat(format)) return makeReport(exports, call, { name: 'paylog', format, onlyDocuments })
  return refusal('admin', 400, 'format: It must be one of json, csv, xlsx, html.')
}
