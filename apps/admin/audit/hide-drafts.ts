import type { Executor } from '@case-platform/lib/database';
import type { User } from '@case-platform/modules/accounts';
import type { AuditRecord } from '@case-platform/modules/audit';
import { findDraftsOfOthers } from '@case-platform/modules/disbursements';

/** An entry as one reader may see it. */
export interface ShownEntry extends AuditRecord {
  /** It is about a draft of somebody else's: what the draft says is left out. */
  isOfDraft?: boolean;
  /** Fields whose values the reader's role doesn't include. */
  hidden?: ReadonlySet<string>;
}

/**
 * Entries about requests call them by their amount and kind of cost, and hold what was written. Of drafts of others they keep
 * who did what, and when (DRAFT-1).
 */
export async function hideDrafts(db: Executor, reader: Pick<User, 'id'>, entries: readonly AuditRecord[]): Promise<ShownEntry[]> {
  const ids = entries.flatMap(({ subject_type, subject_id }) => {
    return subject_type === 'disbursement' && subject_id !== null ? [subject_id] : [];
  });
  const draftIds = await findDraftsOfOthers(db, reader, [...new Set(ids)]);
  return entries.map((entry) => {
    const isOfDraft = entry.subject_type === 'disbursement' && entry.subject_id !== null && draftIds.has(entry.subject_id);
    return isOfDraft ? { ...entry, subject_label: '', before: null, after: null, isOfDraft } : entry;
  });
}
