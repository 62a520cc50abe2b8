import { moment, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A business setting; settings/catalog gives its type. */
export const SystemSetting = entity('system_settings', {
  columns: {
    name: text().primary(),
    /** As text; secret ones sealed by storage/secrets. */
    value: text(),
    /** Null while the value is the default a migration brought. */
    updated_at: moment().nullable(),
  },
})
