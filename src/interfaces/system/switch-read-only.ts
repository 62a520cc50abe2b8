import { systemAuthor } from '../../domain/author.ts'
import type { Call, Reply } from '../../platform/http/call.ts'
import { writeAudit } from '../../platform/storage/audit.ts'
import { writing } from '../../platform/storage/transactions.ts'
import { docs } from './docs.ts'
import type { SystemParts } from './parts.ts'
import { done, fieldsOf } from './reply.ts'

/** `POST read_only/` {enable}: switches READ_ONLY_MODE on or off. It is the only write that works while it is on. */
export async function switchReadOnly(parts: SystemParts, call: Call): Promise<Reply> {
  const body = fieldsOf(call, docs.readOnly.body)
  if ('reply' in body) return body.reply
  const { enable } = body.fields
  const before = parts.settings.get('READ_ONLY_MODE')
  await parts.settings.set({ READ_ONLY_MODE: enable })
  if (before !== enable) {
    const author = { ...systemAuthor('System API'), address: call.address }
    const audit = {
      author,
      table: 'SYSTEM_SETTINGS',
      id: 'READ_ONLY_MODE',
      action: 'change',
      organizationId: null,
    } as const
    await writing(parts, (client) => writeAudit(client, { ...audit, diff: { value: [before, enable] } }))
  }
  return done({ read_only: enable })
}
