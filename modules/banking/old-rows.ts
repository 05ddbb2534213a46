import type { OldRows } from '@case-platform/lib/database/remove-old';
import { sql } from '@case-platform/lib/sql';

/** What banking needs for a time: see `OldRows`. The ledger, batches and their files are kept. */
export const OLD_BANKING_ROWS: readonly OldRows[] = [
  {
    table: 'proof_of_funds',
    kept: 'proofs',
    step: ({ before, most }) => sql`
      delete from proof_of_funds where id = any(array(
        select id from proof_of_funds where expires_at < ${before}
         order by expires_at limit ${most} for update skip locked)) returning 1`,
  },
];
