import { Migration } from '@mikro-orm/migrations'

/** Every other setting is a row from the start, so that the screen shows all of them; a value somebody has set is never overwritten. */
export class SettingDefaults extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO system_settings (name, value) VALUES
        ('READ_ONLY_MODE', '0'),
        ('TIME_ZONE', 'Europe/Moscow'),
        ('TARIFF_CHARGE_MODE', 'monthly'),
        ('TARIFF_CHANGE', 'immediate'),
        ('RADIUS_INTERIM_INTERVAL', '300'),
        ('RADIUS_SIMULTANEOUS', 'reject'),
        ('LK_WALLED_GARDEN_LIST', 'debtors'),
        ('SYSTEM_API_ALLOW', '127.0.0.1/32,::1/128'),
        ('SYSTEM_API_PASSWORD', ''),
        ('SOAP_HASH_SALT', ''),
        ('LK_PAYMENT_SYSTEM', 'gwa'),
        ('LK_PAYMENT_COMMISSION', '0.045'),
        ('LK_MOBILE_SCHEMES', ''),
        ('LK_GWA_API_URL', ''),
        ('LK_GWA_FORM_URL', ''),
        ('LK_GWA_SHOP_ID', ''),
        ('LK_GWA_SECRET_KEY', ''),
        ('LK_GWA_SCID', ''),
        ('LK_GWA_SUCCESS_URL', ''),
        ('LK_GWA_FAIL_URL', ''),
        ('LK_GWA_VERIFY_BY_API', '1'),
        ('LK_GWA_RECEIPT_ENABLED', '1'),
        ('LK_GWA_VAT_CODE', '1'),
        ('LK_GWA_PAYMENT_SUBJECT', 'service'),
        ('LK_GWA_PAYMENT_MODE', 'full_prepayment'),
        ('LK_GWA_RECEIPT_FALLBACK_EMAIL', ''),
        ('LK_GWB_FORM_URL', ''),
        ('LK_GWB_MERCHANT_ID', ''),
        ('LK_GWB_SECRET_KEY', ''),
        ('LK_GWB_CURRENCY', '643'),
        ('LK_GWB_SUCCESS_URL', ''),
        ('LK_GWB_FAIL_URL', '')
      ON CONFLICT (name) DO NOTHING
    `)
  }
}
