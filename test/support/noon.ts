/**
 * A time zone in which it is between noon and one o'clock now. Days, months and years of it begin while no test is
 * running, whatever the hour of the run.
 */
export function zoneOfNoon(now = new Date()): string {
  const ahead = 12 - now.getUTCHours()
  // The signs of these names are those of POSIX, where what lies to the east is behind.
  return ahead === 0 ? 'Etc/UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}
