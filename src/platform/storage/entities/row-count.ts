import { defineEntity, p } from '@mikro-orm/postgresql'
import { id } from './columns.ts'

/** How many rows of a table have a key in a bucket of 8192; several lines of one bucket are summed up. Triggers write it. */
export const RowCount = defineEntity({
  name: 'RowCount',
  tableName: 'row_counts',
  properties: {
    id: id(),
    table_name: p.text(),
    /** `key >> 13`. */
    bucket: p.bigint('number'),
    rows: p.bigint('number'),
  },
})
