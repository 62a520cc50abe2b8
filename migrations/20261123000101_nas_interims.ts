import { Migration } from '@mikro-orm/migrations'

/**
 * A NAS that sends no Interim-Updates lost its sessions while their clients were online. Whether one sends them is learned. Those that have
 * live sessions with reports after the start are known at once.
 */
export class NasInterims extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE nas
        ADD COLUMN interims text NOT NULL DEFAULT 'auto',
        ADD COLUMN learned_interims bool,
        ADD COLUMN session_hours_max int4 NOT NULL DEFAULT 168,
        ADD CONSTRAINT nas_interims CHECK (interims IN ('yes', 'no', 'auto'));
      UPDATE nas n SET learned_interims = true WHERE EXISTS (
        SELECT FROM radius_live_sessions l JOIN radius_sessions s ON s.id = l.session_id
        WHERE l.nas_id = n.id AND s.updated_at > s.started_at + interval '60 s');
    `)
  }
}
