import { visibleSql } from '../../../../platform/staff/visible-organizations.ts'
import { usualOrganization } from '../../../../platform/staff/visible-records.ts'
import { type Dictionary, type Relation, refused, type Step } from './description.ts'
import { relation, words } from './kinds.ts'
import { anOrganization } from './plain.ts'

const folderSight = (parameter: `$${number}`) => visibleSql('row.organization_id', parameter)

const aFolder: Relation = { from: 'abonent_folders', visible: folderSight }

/** The tree operators sort subscribers into; a subscriber saved in a folder takes its organization. */
export const folders: Dictionary = {
  name: 'folders',
  doc: 'Folders of subscribers',
  table: 'abonent_folders',
  key: 'id',
  auditName: 'ABONENT_FOLDERS',
  rights: { read: 'view', write: 'change' },
  fields: [
    { name: 'name', kind: words(200), isRequired: true, doc: 'Name' },
    { name: 'parent', kind: relation, refersTo: aFolder, isNullable: true, doc: 'The folder it lies in' },
    {
      name: 'organization',
      kind: relation,
      refersTo: anOrganization,
      doc: 'Organization of subscribers saved in it; left out, that of the parent, else the default one',
    },
  ],
  visible: folderSight,
  order: 'row.name',
  searched: 'row.name',
  uses: [
    { of: 'folders', rows: 'SELECT FROM abonent_folders WHERE parent_id = $1' },
    { of: 'subscribers', rows: 'SELECT FROM abonents WHERE parent_id = $1' },
  ],
  organizationOf: ({ organization }) => organization as number,
  derive: async (step) => {
    const { before, values } = step
    if (before && values.parent && (await liesWithin(step, values.parent as number, before.id as number)))
      return refused('A folder cannot lie in itself.')
    return before || values.organization !== undefined ? {} : { organization_id: await organizationOf(step) }
  },
}

/** Nobody else moves a folder meanwhile, so two moves cannot make a ring together. */
async function liesWithin({ client }: Step, folder: number, outer: number): Promise<boolean> {
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
  const { rows } = await client.query<{ id: string }>(text, [values.parent ?? null])
  return rows[0] ? Number(rows[0].id) : usualOrganization(visible)
}
