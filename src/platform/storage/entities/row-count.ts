import { id, int8, text } from '../columns.ts'
import { entity } from '../entity.ts'

/**
 * How many rows of a table have a key in a bucket of 8192; several lines of one bucket are summed up. Triggers write
 * it.
 */
export const RowCount = entity('row_counts', {
  columns: {
    id: id(),
    table_name: text(),
    /** `key >> 13`. */
    bucket: int8(),
    rows: int8(),
  },
})
