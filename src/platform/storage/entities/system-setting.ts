import { moment, sealed, text } from '../columns.ts'
import { entity } from '../entity.ts'

/** A business setting; settings/catalog gives its type. */
export const SystemSetting = entity('system_settings', {
  columns: {
    name: text().primary(),
    /** As text; only secret ones are sealed. */
    value: sealed(),
    /** Null while the value is the default a migration brought. */
    updated_at: moment().nullable(),
  },
})
