/** The operators of a search of messages, shown beside its box (CHAIN-21). */
export const SEARCH_HINT = 'Narrow it with from:name, case:12, has:file, before:2026-11-24, or after:2026-11-01.';
