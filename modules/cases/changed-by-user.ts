import type { ChangedBy } from '@case-platform/lib/audit';
import type { User } from '@case-platform/modules/accounts';

/** A change that a person makes, and not the platform. */
export type ChangedByUser = ChangedBy & { actor: User };
