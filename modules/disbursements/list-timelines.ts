import type { Executor } from '@case-platform/lib/database';
import { limitTo, query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { type CasePerson, caseIsVisible, personJson } from '@case-platform/modules/cases';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import type { DisbursementStep } from '@case-platform/words/disbursement-states';
import { moneyWords } from '@case-platform/words/money';
import { contentIsVisible } from './disbursement-access.ts';

/** One step of a request's timeline (REQUEST-15). */
export interface TimelineEntry {
  at: Date;
  event: DisbursementStep;
  /**
   * Null for steps of the bank or the platform and, for readers who are not staff, for what staff did with the bank (REQUEST-15).
   */
  by: CasePerson | null;
  note: string | null;
}

/** The step of each action in the audit log; other actions are not part of a timeline. */
const STEPS: Readonly<Record<string, DisbursementStep>> = {
  'disbursement.create': 'created',
  'disbursement.submit': 'submitted',
  'disbursement.hand_on': 'handed_on',
  'disbursement.add_file': 'receipt_added',
  'disbursement.remove_file': 'receipt_removed',
  'disbursement.revise': 'changed',
  'disbursement.remove_approval': 'approval_removed',
  'disbursement.approve': 'approved',
  'disbursement.undo_approval': 'approval_undone',
  'disbursement.deny': 'denied',
  'disbursement.cancel': 'cancelled',
  'disbursement.batch': 'batched',
  'disbursement.unbatch': 'unbatched',
  'disbursement.send': 'sent',
  'disbursement.pay': 'paid',
  'disbursement.return': 'returned',
  'disbursement.retry': 'retried',
  'disbursement.end': 'ended',
};
const ABOUT_RECEIPTS: readonly string[] = ['disbursement.add_file', 'disbursement.remove_file'];
const AT_THE_BANK: readonly DisbursementStep[] = ['batched', 'unbatched', 'sent', 'paid', 'returned', 'retried'];
/** A request that was changed many times shows only its last steps. */
const STEPS_MAX = 100;

interface Row {
  id: number;
  at: Date;
  action: string;
  by: CasePerson | null;
  was_draft: boolean;
  was_approved: boolean;
  after: Record<string, unknown> | null;
}

/**
 * Lists the timelines of requests by id, oldest step first, from their audit entries. The caller must have checked access to the
 * requests; a reader who only pays a request gets no timeline (CASE-2). A draft of someone else shows its steps without their content.
 */
export async function listTimelines(
  db: Executor,
  viewer: Pick<User, 'id' | 'user_type' | 'agency_id'>,
  ids: readonly number[],
): Promise<Map<number, TimelineEntry[]>> {
  const rows = await query<Row>(
    db,
    sql`select r.id, a.happened_at as at, a.action, case when seen.has_content then a.after end as after, ${personJson('u')} as by,
               coalesce(a.before ->> 'status' = 'draft', false) as was_draft,
               coalesce(a.before ->> 'status' = 'approved', false) as was_approved
          from unnest(${ids}::bigint[]) r (id)
          join disbursement_request d on d.id = r.id
          join case_file c on c.id = d.case_id and ${caseIsVisible(viewer)}
         cross join lateral (select ${contentIsVisible(viewer)} as has_content) seen
         cross join lateral (
           select * from audit_entry a
            where a.subject_type = 'disbursement' and a.subject_id = r.id and a.action = any(${Object.keys(STEPS)}::text[])
               and (seen.has_content or a.action <> all (${ABOUT_RECEIPTS}::text[]))
            order by a.happened_at desc, a.id desc ${limitTo(STEPS_MAX)}) a
          left join user_account u on u.id = a.actor_id
         order by r.id, a.happened_at, a.id`,
  );
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, steps]) => [id, toTimeline(steps, viewer)]));
}

function toTimeline(rows: readonly Row[], { user_type }: Pick<User, 'user_type'>): TimelineEntry[] {
  let isSent = false;
  const resent = changesOfResubmissions(rows);
  return rows.flatMap(({ at, action, by, was_draft, was_approved, after }, index) => {
    const event = STEPS[action];
    if (event === undefined) return [];
    isSent ||= event === 'submitted';
    if (isWriting(event, { isSent, was_draft })) return [];
    const isShown = user_type === 'admin' || !AT_THE_BANK.includes(event);
    return [{ at, event, by: isShown ? by : null, note: resent[index] ?? noteOf(event, after ?? {}, was_approved) }];
  });
}

type Sent = Partial<Record<'amount_cents' | 'payee_id' | 'category' | 'description', unknown>>;

/**
 * Describes how each resubmission differs from the previous submission, because the approver may remember that one (REQUEST-16).
 * @param entries the audit entries of one request, oldest first.
 * @returns a description for each entry; null for entries other than resubmissions with changes.
 */
export function changesOfResubmissions(
  entries: readonly { action: string; after: Record<string, unknown> | null }[],
): (string | null)[] {
  let current: Sent = {};
  let before: Sent | null = null;
  return entries.map(({ action, after }) => {
    const { amount_cents, payee_id, category, description }: Sent = { ...current, ...after };
    current = { amount_cents, payee_id, category, description };
    if (action !== 'disbursement.submit') return null;
    const changes = before === null ? [] : changesInWords(before, current);
    before = current;
    return changes.length === 0 ? null : changes.join(' ');
  });
}

function changesInWords(before: Sent, now: Sent): string[] {
  const from = typeof before.amount_cents === 'number' ? ` from ${moneyWords(before.amount_cents)}` : '';
  const changes = [
    before.amount_cents !== now.amount_cents && `The amount was changed${from} to ${moneyWords(Number(now.amount_cents))}.`,
    before.payee_id !== now.payee_id && 'The payee was changed.',
    (before.category !== now.category || before.description !== now.description) && 'What it’s for was changed.',
  ];
  return changes.filter((change) => change !== false);
}

/** Changes to a draft before its first submission are part of writing it, and not of its timeline. */
function isWriting(event: DisbursementStep, { isSent, was_draft }: { isSent: boolean; was_draft: boolean }): boolean {
  if (event === 'changed') return was_draft;
  return !isSent && (event === 'receipt_added' || event === 'receipt_removed');
}

function noteOf(
  event: DisbursementStep,
  { reason, over_by_cents, filename, return_code }: Record<string, unknown>,
  was_approved: boolean,
): string | null {
  if (event === 'approval_removed') return null;
  if (event === 'changed') return was_approved ? 'This removed the approval.' : null;
  if (event === 'returned') return typeof return_code === 'string' ? reasonInWords(return_code) : null;
  if (event === 'receipt_added') return typeof filename === 'string' ? filename : null;
  if (event === 'submitted') return reason === 'bank_account_changed' ? 'Sent again for the new bank account.' : null;
  const over = typeof over_by_cents === 'number' ? `${moneyWords(over_by_cents)} over what the contract allows.` : undefined;
  const parts = [over, reason].filter((part) => typeof part === 'string');
  return parts.length === 0 ? null : parts.join(' ');
}
