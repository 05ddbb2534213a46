import type { Transaction } from '@case-platform/lib/database';
import type { ChangedByUser } from '@case-platform/modules/accounts';
import { requireOpenCase } from '@case-platform/modules/cases';
import { requireFunds } from '@case-platform/modules/ledger';
import { requireUndo } from './approval/require-undo.ts';
import { requireReasonOverBenefit } from './benefits/require-reason-over-benefit.ts';
import { requireFreeLine, requireMatchingLine } from './claim-scheduled-payment.ts';
import { COMMANDS, type DisbursementCommand, type Guard, getMove } from './disbursement-states.ts';
import { requireSeenVersion } from './disbursement-version.ts';
import type { LockedDisbursement, Standing } from './lock-disbursement.ts';
import { requirePayable } from './payable/require-payable.ts';
import { requireAccountSeen } from './payee-account/payee-account.ts';
import { requireClearedReturn } from './require-cleared-return.ts';
import { requireChecker, requireMaker, requireSpecialist } from './require-maker-or-checker.ts';

/** A step that a person is about to take with a locked request. */
interface GuardedStep {
  request: LockedDisbursement & Standing;
  by: ChangedByUser;
  now: Date;
  /** The version of the request that they saw, if they named one. */
  version?: string | undefined;
  account_seen?: string | undefined;
  over_by_cents?: number | undefined;
  reason?: string | undefined;
}

/** Details for the audit entry of the step. */
type Note = Record<string, unknown>;

const NOT_COVERED: Partial<Record<DisbursementCommand, string>> = {
  approve:
    'The case doesn’t have enough available for this, so it isn’t approved. The escrow specialist can explain how to make a deposit. Approve it once the deposit has arrived.',
  retry:
    'The case doesn’t have enough available to pay this again. Ask the parents for a deposit, and pay it again once that has arrived.',
};

/** Throws if its guard does not hold. It may return details for the audit entry. */
type Check = (tx: Transaction, step: GuardedStep, command: DisbursementCommand) => unknown;

const CHECKS: Record<Guard, Check> = {
  maker: (_, { request, by }) => requireMaker(request, by.actor),
  approver: (tx, { request, by }) => requireChecker(tx, request, by.actor),
  escrow_specialist: (_, { request }) => requireSpecialist(request),
  state: (_, { request }, command) => void getMove(command, request.status),
  version_seen: async (tx, { request, version }) => {
    if (version !== undefined) await requireSeenVersion(tx, request, version);
  },
  open_case: (_, { request }) => requireOpenCase(request.case),
  account_seen: (tx, { request, account_seen }) => requireAccountSeen(tx, request, account_seen),
  payee_can_be_paid: (tx, { request, now }, command) => {
    if (command === 'submit')
      return requirePayable(tx, [request.id], { step: 'submit', now, wayOut: 'Choose someone else to pay.' });
    return requirePayable(tx, [request.id], { step: command === 'retry' ? 'retry' : 'approve', now });
  },
  undoable: (tx, { request, by, now }) => requireUndo(tx, request, by.actor, now).then(() => {}),
  return_cleared: (tx, { request, reason, by }) => requireClearedReturn(tx, request, reason, by),
  matches_plan: (tx, { request }) => requireMatchingLine(tx, request),
  plan_is_free: (tx, { request }) => requireFreeLine(tx, request),
  funds: (tx, { request }, command) =>
    requireFunds(tx, { caseId: request.case_id, amountCents: request.amount_cents }, NOT_COVERED[command] ?? ''),
  limit_explained: (tx, { request, reason, over_by_cents, by, now }) =>
    requireReasonOverBenefit(tx, request, { reason, over_by_cents, by }, now),
};

/**
 * Requires the guards of a command, in their order in `COMMANDS`. The caller has locked the payee's account, the case, and the
 * request.
 * @returns details for the audit entry.
 * @throws the error of the first guard that does not hold.
 */
export async function requireGuards(tx: Transaction, command: DisbursementCommand, step: GuardedStep): Promise<Note> {
  const note: Note = {};
  const guards: readonly Guard[] = COMMANDS[command].guards;
  for (const guard of guards) Object.assign(note, await CHECKS[guard](tx, step, command));
  return note;
}
