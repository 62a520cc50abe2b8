/**
 * Finds the subscriber of a contract number (contract section 5): the one with exactly this number, else the only one
 * whose number is the same without leading zeros. Deleted subscribers are not found. These are parts of a WITH clause
 * for the number in `$1`; `meant` has the id, or no row.
 */
export const subscriberByContract = `exact AS (SELECT id FROM abonents WHERE contract_number = $1 AND NOT deleted),
  bare AS (SELECT id FROM abonents WHERE ltrim(contract_number, '0') = ltrim($1, '0') AND ltrim($1, '0') <> '' AND NOT deleted
    AND NOT EXISTS (SELECT FROM exact) LIMIT 2),
  meant AS (SELECT id FROM exact UNION ALL SELECT id FROM bare WHERE (SELECT count(*) FROM bare) = 1)`
