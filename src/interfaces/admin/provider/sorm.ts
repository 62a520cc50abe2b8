import Type, { type Static } from 'typebox'
import {
  buildReport,
  type MetaIssue,
  metaIssues,
  requiredFields,
  SormReportBuilderError,
} from '../../../domain/sorm.ts'
import { csvFile } from '../../../platform/http/downloads.ts'
import type { Call, Reply, Route } from '../../../platform/http/call.ts'
import { refusal, refusalText } from '../../../platform/http/errors.ts'
import { json } from '../../../platform/http/reply.ts'
import type { RouteDoc } from '../../../platform/http/route-doc.ts'
import { schemas } from '../../../platform/http/schemas.ts'
import type { Log } from '../../../platform/log.ts'
import type { VisibleOrganizations } from '../../../platform/staff/visible-organizations.ts'
import { authorOf } from '../../../platform/staff/author.ts'
import { visibleTo } from '../../../platform/staff/visible-records.ts'
import { writeAudit } from '../../../platform/storage/audit.ts'
import { reading, type TransactionScope, writing } from '../../../platform/storage/transactions.ts'
import { asUnavailable } from '../../../platform/storage/unavailability.ts'
import { answers, get } from '../doors.ts'
import { countMissing, legacyLines, readAttributes, reportLines, reportTimeoutMs } from './sorm-table.ts'

export type SormParts = TransactionScope & { readonly log: Log }

/** Regulatory export (specification 4.7): a check of the data, and the export itself. */
export function sormRoutes(parts: SormParts): Route[] {
  const exports = new SormExports(parts)
  const path = '/admin/equipment/sorm_list'
  return [
    get(`${path}/validate`, docs.validate, (call) => exports.validate(call)),
    get(`${path}/export`, docs.export, (call) => exports.export(call), {
      right: ['view', 'personal_data'],
    }),
  ]
}

type Exported = { readonly reply: Reply; readonly report: string; readonly count: number }

const { integer, text, boolean } = schemas
const dataIssueSchema = Type.Object({
  report_type: text,
  field_code: text,
  attribute_name: text,
  attribute_id: integer,
  missing: integer,
})
type Findings = { readonly meta: readonly MetaIssue[]; readonly data: readonly Static<typeof dataIssueSchema>[] }

/**
 * Both actions read every subscriber. To spare the database, concurrent checks share one result and only one export
 * runs at a time.
 */
class SormExports {
  readonly #parts: SormParts
  /** The checks in progress by the visible organizations; further callers wait for the same result. */
  readonly #checks = new Map<string, Promise<Findings>>()
  #isExporting = false

  constructor(parts: SormParts) {
    this.#parts = parts
  }

  async validate(call: Call): Promise<Reply> {
    const { meta, data } = await this.#check(visibleTo(call))
    const has_problems = meta.length > 0 || data.length > 0
    return json({ ok: true, has_problems, meta_issues: meta, data_issues: data })
  }

  async export(call: Call): Promise<Reply> {
    const type = (call.query.get('report') ?? '').trim() || 'ABONENT'
    if (this.#isExporting) return refusal('admin', 503, refusalText.busy, [['Retry-After', '10']])
    this.#isExporting = true
    try {
      const { reply, report, count } = await this.#export(type, visibleTo(call))
      await this.#audit(call, report, count)
      return reply
    } finally {
      this.#isExporting = false
    }
  }

  /** Nobody gets personal documents without a trace: the file is sent when the row is written. */
  #audit(call: Call, report: string, count: number): Promise<void> {
    const visible = visibleTo(call)
    const organizationId = visible?.length === 1 ? visible[0]! : null
    const diff = { subscribers: [null, count], organizations: [null, visible ?? 'all'] } as const
    const entry = { author: authorOf(call), table: 'ABONENTS', id: report, action: 'export', organizationId } as const
    return writing(this.#parts, (client) => writeAudit(client, { ...entry, diff }))
  }

  #check(visible: VisibleOrganizations): Promise<Findings> {
    const key = JSON.stringify(visible)
    const underWay = this.#checks.get(key)
    if (underWay) return underWay
    const check = this.#find(visible).finally(() => this.#checks.delete(key))
    this.#checks.set(key, check)
    return check
  }

  async #find(visible: VisibleOrganizations): Promise<Findings> {
    try {
      return await reading(
        this.#parts,
        async (client) => {
          const attributes = await readAttributes(client)
          const fields = requiredFields(attributes)
          const missing = await countMissing(client, fields, visible)
          const data = fields.map(({ attribute, reportType }, at) => ({
            report_type: reportType,
            field_code: attribute.fieldCode,
            attribute_name: attribute.name,
            attribute_id: attribute.id,
            missing: missing[at]!,
          }))
          return { meta: metaIssues(attributes), data: data.filter((issue) => issue.missing > 0) }
        },
        reportTimeoutMs,
      )
    } catch (error) {
      if (asUnavailable(error)) throw error
      this.#parts.log.error('the check of the SORM data failed', { error })
      const message = error instanceof Error ? error.message : String(error)
      return { meta: [{ kind: 'exception', message }], data: [] }
    }
  }

  #export(type: string, visible: VisibleOrganizations): Promise<Exported> {
    return reading(
      this.#parts,
      async (client) => {
        const attributes = await readAttributes(client)
        try {
          const report = buildReport(type, attributes)
          const { lines, count } = await reportLines(client, report, visible)
          return { reply: csvFile(`sorm_${report.type}.csv`, lines), report: report.type, count }
        } catch (error) {
          if (!(error instanceof SormReportBuilderError)) throw error
          const { fault, message } = error
          this.#parts.log.warn('a SORM report falls back to the legacy query', {
            report: type.slice(0, 64),
            reason: message,
          })
          const { lines, count } = await legacyLines(client, visible)
          return { reply: csvFile('sorm_legacy.csv', lines, [['X-Sorm-Fallback', fault]]), report: 'legacy', count }
        }
      },
      reportTimeoutMs,
    )
  }
}

const tag = 'SORM'

const docs = {
  validate: {
    tag,
    summary: 'What is missing for the regulatory export',
    description:
      'Codes of attributes that are missing, wrong or repeated, and how many active subscribers lack a required value.',
    answers: answers('The findings.', {
      has_problems: boolean,
      meta_issues: Type.Array(
        Type.Object({
          kind: Type.Enum(['missing_field_code', 'invalid_field_code', 'duplicate_field_code', 'exception']),
          message: text,
          attribute_id: Type.Optional(integer),
          attribute_name: Type.Optional(text),
          report_type: Type.Optional(text),
          sorm_field_code: Type.Optional(text),
          attribute_ids: Type.Optional(Type.Array(integer)),
          attribute_names: Type.Optional(Type.Array(text)),
        }),
      ),
      data_issues: Type.Array(dataIssueSchema),
    }),
  },
  export: {
    tag,
    summary: 'A report on active subscribers',
    description:
      'Needs the right personal_data, and is in the audit. Columns are the attributes of the report. Where it cannot be built of them, the legacy columns are exported and X-Sorm-Fallback says why: unsupportedReportType, noAttributes or emptyCode.',
    query: { report: { doc: 'ABONENT, ABONENT_LEGAL or ABONENT_IDENT; left out: ABONENT.' } },
    answers: {
      200: { doc: 'UTF-8 with a byte order mark, `;` between the cells.', contentType: 'text/csv' },
      503: { doc: 'Another export is being made.' },
    },
  },
} as const satisfies Record<string, RouteDoc>
