import { Migration } from '@mikro-orm/migrations'

/** Promise payments work from the first start; a value somebody has set is never overwritten. */
export class PromisePayDefaults extends Migration {
  override up(): void {
    this.addSql(`
      INSERT INTO system_settings (name, value) VALUES
        ('LK_PROMISE_PAY_MIN_DEBT', '0'),
        ('LK_PROMISE_PAY_MIN_AGE_DAYS', '30'),
        ('LK_PROMISE_PAY_COOLDOWN_DAYS', '30'),
        ('LK_PROMISE_PAY_MAX_LIMIT_OVERRIDE', '0'),
        ('LK_PROMISE_PAY_MAX_DURATION_DAYS', '0'),
        ('LK_PROMISE_PAY_DAILY_CHARGE', '1'),
        ('LK_PROMISE_PAY_AUTO_CLOSE_ON_PAYMENT', '1'),
        ('LK_PROMISE_PAY_NOTIFY_BEFORE_HOURS', '24'),
        ('PROMISE_PAY_OPERATOR_FEE', '90'),
        ('MOBILE_PUSH_PROMISE_PAY_EXPIRE_HOURS', '24')
      ON CONFLICT (name) DO NOTHING
    `)
  }
}
