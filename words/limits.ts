/** Cents of one amount at most, from a request to a deposit (decisions, section 8). */
export const CENTS_MAX = 9_999_999_999;
