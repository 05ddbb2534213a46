import type { ChangedBy } from '@case-platform/lib/audit';
import type { User } from '@case-platform/modules/accounts';

/** Somebody who makes a change, from somewhere. */
export type ChangedByUser = ChangedBy & { actor: User };
