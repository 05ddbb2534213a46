/** The most connections that a process of each kind opens: its pool, and those on which it listens. */
export const POOL_SIZES = { api: 10, admin: 10, worker: 25 } as const;
/** The most that an API or staff process opens to a replica. */
export const REPLICA_POOL_SIZE = 5;
export const LISTENING = { api: 1, admin: 1, worker: 0 } as const;
