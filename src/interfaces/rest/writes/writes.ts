import type { Call, Reply } from '../../../platform/http/call.ts'

/** The writing half of a model's door. */
export type Writes = {
  readonly create: (call: Call) => Promise<Reply>
  /** PUT and PATCH: what the body names is changed, the rest stays. */
  readonly change: (call: Call, id: string) => Promise<Reply>
  readonly remove: (call: Call, id: string) => Promise<Reply>
}
