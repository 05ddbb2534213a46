import type { Permission } from '@case-platform/modules/accounts';

/** Everyone who has a part in the life of a batch has one of these. */
export const BATCH_WORKERS = ['create_nacha', 'approve_nacha', 'make_payments'] as const satisfies Permission[];
