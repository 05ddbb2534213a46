/** Connections that a process of each kind opens at most: its pool, and what it listens on beside it. */
export const POOL_SIZES = { api: 10, admin: 10, worker: 25 } as const;
export const LISTENING = { api: 1, admin: 1, worker: 0 } as const;
