/**
 * SQL: how many messages of a mailing wait and have failed. A message for several devices counts once, and as failed
 * only where none of them got it.
 */
export const fateCountsSql = (mailing: string): string => `SELECT
  (SELECT count(*)::int4 FROM notifications AS first
    WHERE first.mailing_id = ${mailing} AND first.state = 'waiting' AND first.original_id IS NULL) AS waiting,
  (SELECT count(*)::int4 FROM notifications AS first
    WHERE first.mailing_id = ${mailing} AND first.state = 'failed' AND first.original_id IS NULL
      AND NOT EXISTS (SELECT FROM notifications AS copy WHERE copy.original_id = first.id AND copy.state = 'sent')) AS failed`
