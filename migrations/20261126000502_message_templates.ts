import { Migration } from '@mikro-orm/migrations'

/** Operators word the notices to clients themselves, in either language; a template without a row is as shipped. */
export class MessageTemplates extends Migration {
  override up(): void {
    this.addSql(`
      CREATE TABLE message_templates (
        name text NOT NULL,
        language text NOT NULL CONSTRAINT message_templates_language CHECK (language IN ('ru', 'en')),
        title text NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (name, language)
      )`)
  }
}
