/** An entry has ten digits for its amount. */
export const ENTRY_MAX_CENTS = 9_999_999_999;
/** A control record has twelve digits for a total. */
export const TOTAL_MAX_CENTS = 999_999_999_999;
/** The limit for same-day entries is one million dollars (Nacha Same Day ACH rule of March 2022). */
export const SAME_DAY_MAX_CENTS = 100_000_000;
/** We assign the last seven digits of a trace number. */
export const TRACE_SEQUENCE_MAX = 9_999_999;
/** A batch counts its entries and addenda in six digits, and the offsetting entries come on top. */
export const PAYMENTS_MAX = 400_000;
