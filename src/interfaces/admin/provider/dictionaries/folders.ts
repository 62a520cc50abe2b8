import { relation, required } from '../../../../platform/records/fields.ts'
import type { Model } from '../../../../platform/records/model.ts'
import { AbonentFolder } from '../../../../platform/storage/entities/subscribers.ts'
import type { Step } from '../../../../platform/records/record-writer.ts'
import { refusedWrite } from '../../../../platform/records/refusals.ts'
import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { defaultOrganizationAmong } from '../../../../platform/staff/visible-records.ts'
import type { Dictionary } from './description.ts'
import { dictionaryModel, empty, line, positive } from './fields.ts'
import { organizations } from './plain-dictionaries.ts'

const model: Model = dictionaryModel({
  name: 'folders',
  doc: 'Folders of subscribers',
  entity: AbonentFolder,
  fields: [
    line('name', 'Name', 200, required),
    relation('parent', 'The folder it lies in', () => model, { ...positive, ...empty }),
    relation(
      'organization',
      'Organization of subscribers saved in it; left out, that of the parent, else the default one',
      () => organizations,
      positive,
    ),
  ],
  visible: (table, parameter) => visibleSql(`${table}.organization_id`, parameter),
  usedBy: [
    { table: 'abonent_folders', column: 'parent_id', noun: 'folders' },
    { table: 'abonents', column: 'parent_id', noun: 'subscribers' },
  ],
})

/** The tree operators sort subscribers into; a subscriber saved in a folder takes its organization. */
export const folders: Dictionary = {
  model,
  order: 'this.name',
  searched: 'this.name',
  steps: {
    organizationOf: (_, { organization }) => organization as number,
    derive: async (step) => {
      const { before, values } = step
      const parent = values.get('parent')?.value
      if (before && parent && (await liesWithin(step, parent, before.id)))
        return refusedWrite('A folder cannot lie in itself.', 400, 'folder_in_itself')
      if (before || values.has('organization')) return []
      return [{ column: 'organization_id', value: await organizationOf(step) }]
    },
  },
}

/** The lock keeps others from moving folders meanwhile, so that two moves together cannot make a cycle. */
async function liesWithin({ client }: Step, folder: unknown, outer: unknown): Promise<boolean> {
  await client.query('LOCK TABLE abonent_folders IN SHARE ROW EXCLUSIVE MODE')
  const { rows } = await client.query(
    `WITH RECURSIVE way AS (
      SELECT id, parent_id FROM abonent_folders WHERE id = $1
      UNION SELECT above.id, above.parent_id FROM abonent_folders AS above JOIN way ON above.id = way.parent_id)
    SELECT FROM way WHERE id = $2`,
    [folder, outer],
  )
  return rows.length > 0
}

async function organizationOf({ client, values, visible }: Step): Promise<number> {
  const text = 'SELECT organization_id AS id FROM abonent_folders WHERE id = $1'
  const { rows } = await client.query<{ id: string }>(text, [values.get('parent')?.value ?? null])
  return rows[0] ? Number(rows[0].id) : defaultOrganizationAmong(visible)
}
