import { defineEntity, p } from '@mikro-orm/postgresql'

/** A business setting; settings/catalog gives its type. */
export const SystemSetting = defineEntity({
  name: 'SystemSetting',
  tableName: 'system_settings',
  properties: {
    name: p.text().primary(),
    /** As text; secret ones sealed by storage/secrets. */
    value: p.text(),
    /** Null while the value is the default a migration brought. */
    updated_at: p.datetime().nullable(),
  },
})
