/**
 * Stored money as the decimal string of the admin (contract section 3), in SQL: two places, rounded half up, exact at
 * any size.
 */
export const rublesSql = (column: string): string => `round(${column}::numeric / 10000000000, 2)::text`
