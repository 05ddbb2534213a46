import { recordAudit } from '@case-platform/lib/audit';
import { type Database, isUniqueViolation } from '@case-platform/lib/database';
import { ConflictError, invalid } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { parseText } from '@case-platform/lib/text/typed-text';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { MILESTONE_NOTE_MAX } from '@case-platform/words/limits';
import { lockCase, touchCase } from '../lock-case.ts';
import { parseAmount } from '../parse-amount.ts';
import { parseCaseDay } from '../parse-case-fields.ts';
import type { MilestoneKind } from './milestones.ts';

export interface NewMilestone {
  kind: MilestoneKind;
  /** `YYYY-MM-DD`, not in the future. */
  happened_on: string;
  note?: string | undefined;
  /** The deposit that the parents have to pay; only with `pregnancy_confirmed`. */
  funding_required_cents?: number | null | undefined;
}

/** UTC+14, where the next day begins first. */
const AHEAD_MS = 14 * 3_600_000;

/**
 * Adds a dated event to a case. A confirmed pregnancy with a funding requirement is mailed to the parents (EMAIL-7). The caller's
 * guard checks the permission.
 * @throws {NotFoundError} for an unknown case. @throws {InvalidInputError} @throws {ConflictError} if the case has this milestone
 * on this day (CASE-8).
 */
export async function addMilestone(
  { db, now }: { db: Database; now: () => Date },
  caseId: number,
  milestone: NewMilestone,
  by: ChangedByUser,
): Promise<{ id: number }> {
  const { kind, happened_on, note, funding_required_cents } = parseMilestone(milestone, now());
  return db.transaction(async (tx) => {
    const caseFile = await lockCase(tx, caseId);
    const [milestoneRow] = await query<{ id: number }>(
      tx,
      sql`insert into case_milestone (case_id, kind, happened_on, note, funding_required_cents, created_by)
          values (${caseId}, ${kind}, ${happened_on}, ${note}, ${funding_required_cents}, ${by.actor.id}) returning id`,
    ).catch(asConflict);
    const id = milestoneRow?.id ?? 0;
    await touchCase(tx, caseId);
    await recordAudit(tx, {
      ...by,
      action: 'case.add_milestone',
      subject_id: caseId,
      subject_label: caseFile.name,
      case_id: caseId,
      after: { milestone_id: id, kind, happened_on, funding_required_cents },
    });
    if (funding_required_cents !== null) await enqueue(tx, 'mail_pregnancy_funding', { milestone_id: id });
    return { id };
  });
}

function parseMilestone({ kind, happened_on, note = '', funding_required_cents = null }: NewMilestone, now: Date) {
  const day = parseCaseDay('happened_on', happened_on);
  if (Date.parse(day) > now.getTime() + AHEAD_MS) throw invalid('happened_on', 'Choose today or an earlier day.');
  const text = parseText(note, { field: 'note', label: 'The note', max: MILESTONE_NOTE_MAX });
  if (funding_required_cents !== null) {
    parseAmount('funding_required_cents', funding_required_cents);
    if (kind !== 'pregnancy_confirmed') {
      throw invalid('funding_required_cents', 'Only a confirmed pregnancy can ask for a deposit.');
    }
  }
  return { kind, happened_on: day, note: text, funding_required_cents };
}

function asConflict(error: unknown): never {
  if (!isUniqueViolation(error, 'case_milestone_once_idx')) throw error;
  throw new ConflictError('This milestone was already added.', 'milestone_exists');
}
