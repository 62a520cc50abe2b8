import { Migration } from '@mikro-orm/migrations'

/** An SMS finds its subscriber by the digits of the phone, however the number was typed (storage/phone.ts). */
export class PhoneDigits extends Migration {
  override up(): void {
    this.addSql(
      `CREATE INDEX abonents_phone ON abonents (regexp_replace(regexp_replace(sms, '\\D', '', 'g'), '^8?(\\d{10})$', '7\\1'))
        WHERE sms IS NOT NULL AND NOT deleted`,
    )
  }
}
