/** Ten digits are all that an entry has for its amount. */
export const ENTRY_MAX_CENTS = 9_999_999_999;
/** Twelve digits are all that a control record has for a total. */
export const TOTAL_MAX_CENTS = 999_999_999_999;
/** An entry that settles on the same day: one million dollars at most (Nacha Same Day ACH rule of March 2022). */
export const SAME_DAY_MAX_CENTS = 100_000_000;
/** Seven digits of a trace number are ours. */
export const TRACE_SEQUENCE_MAX = 9_999_999;
/** Six digits count a batch's entries and addenda; the offsetting entries come on top. */
export const PAYMENTS_MAX = 400_000;
