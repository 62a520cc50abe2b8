import { isVisible } from '../../platform/staff/visible-organizations.ts'
import type { OrganizationId } from '../../domain/ids.ts'
import { isWebhookEvent, type WebhookEventName } from '../../domain/webhook-events.ts'
import type { Client } from '../../platform/storage/sql.ts'

/** An endpoint that is switched on, as far as it decides what it is told. */
export type Wanting = {
  readonly id: number
  readonly events: readonly string[]
  /** Null: of all organizations. */
  readonly organizations: readonly OrganizationId[] | null
  readonly since: Date
}

export const wants = (
  { events, organizations }: Wanting,
  event: { readonly event: WebhookEventName; readonly organizationId: OrganizationId },
): boolean => events.includes(event.event) && isVisible(organizations, event.organizationId)

const wantingText = `SELECT endpoint.id, events, wanted_since AS since,
    CASE WHEN NOT all_organizations THEN ARRAY(
      SELECT organization_id::text FROM webhook_endpoint_organizations WHERE endpoint_id = endpoint.id) END AS organizations
  FROM webhook_endpoints AS endpoint WHERE enabled ORDER BY endpoint.id`

export async function readWanting(client: Client): Promise<readonly Wanting[]> {
  const { rows } = await client.query<
    Omit<Wanting, 'id' | 'organizations'> & { id: string; organizations: string[] | null }
  >(wantingText)
  return rows.map(({ id, organizations, ...row }) => ({
    ...row,
    id: Number(id),
    organizations: organizations && (organizations.map(Number) as OrganizationId[]),
  }))
}

/** What is wanted, in memory, so that an event that nobody wants costs a look at a set. */
export class Wants {
  #endpoints: readonly Wanting[] = []
  #events: ReadonlySet<WebhookEventName> = new Set()

  get endpoints(): readonly Wanting[] {
    return this.#endpoints
  }

  set endpoints(endpoints: readonly Wanting[]) {
    this.#endpoints = endpoints
    this.#events = new Set(endpoints.flatMap(({ events }) => events.filter(isWebhookEvent)))
  }

  get isEmpty(): boolean {
    return this.#events.size === 0
  }

  has(event: WebhookEventName, organizationId: OrganizationId): boolean {
    return this.#events.has(event) && this.#endpoints.some((one) => wants(one, { event, organizationId }))
  }
}
