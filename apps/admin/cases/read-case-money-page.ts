import { DomainError, InvalidInputError, NotFoundError } from '@case-platform/lib/errors';
import type { Html } from '@case-platform/lib/html';
import { getCaseProjection, readCaseStatement, readPeriod } from '@case-platform/modules/banking';
import {
  canAccessCase,
  findCaseOutline,
  listCaseCategories,
  listCasePeople,
  listScheduledPayments,
  type ScheduledPayment,
} from '@case-platform/modules/cases';
import { requestConditions } from '@case-platform/modules/disbursements';
import { findCaseBalance, listCaseCashEntries } from '@case-platform/modules/ledger';
import type { Period } from '@case-platform/words/days';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { AdminContext } from '../context.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { caseMoneyPage } from './case-money-page.ts';
import type { ShownStatement } from './case-statement.ts';
import { placeScheduledPayments } from './place-scheduled-payments.ts';

/** A case has a few dozen. */
const PAYMENTS_SHOWN = 500;

const DONE = new Map([
  ['recorded', 'Recorded. A second person has to confirm it before it counts.'],
  ['confirmed', 'Confirmed. It is on the statement now.'],
  ['refused', 'Refused. No money was moved.'],
  ['planned', 'The payment is on the schedule.'],
  ['cancelled', 'The payment was cancelled.'],
]);

interface Shown {
  case_id: number;
  done?: string | undefined;
  /** Of the statement. */
  period?: Partial<Period> | undefined;
  refused?: RefusedForm | undefined;
}

/** Reads the money of a case with the forms that change it. @throws {NotFoundError} for a case that does not exist. */
export async function readCaseMoneyPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { case_id, done, period = {}, refused }: Shown,
): Promise<Html> {
  const { db, now } = context;
  const [outline, onCase, balance, money, entries, payments, people, categories, frame] = await Promise.all([
    findCaseOutline(db, case_id),
    canAccessCase(db, actor.user, case_id),
    findCaseBalance(db, case_id),
    readMoney(context, actor, { case_id, requested: period, now: now() }),
    listCaseCashEntries(db, actor.user, case_id),
    listScheduledPayments(db, case_id, { requests: requestConditions(actor.user), limit: PAYMENTS_SHOWN }),
    listCasePeople(db, case_id),
    listCaseCategories(db, case_id),
    readFrame(context, request, actor),
  ]);
  if (outline === null) throw new NotFoundError();
  const withPlaces = (payments: readonly ScheduledPayment[]) => placeScheduledPayments(db, actor.user, payments, now());
  return caseMoneyPage(frame, {
    outline,
    onCase,
    balance,
    money,
    entries,
    payments: await withPlaces(payments.data),
    people,
    categories,
    done: DONE.get(done ?? ''),
    refused,
  });
}

interface RequestedMoney {
  case_id: number;
  requested: Partial<Period>;
  now: Date;
}

/** The case's balance now and in the months ahead; null for a reader who may not see it (STATEMENT-2, PROJECTION-1). */
async function readMoney(context: AdminContext, { user }: StaffActor, { case_id, requested, now }: RequestedMoney) {
  try {
    const [statement, projection] = await Promise.all([
      readStatement(context, user, { case_id, requested, now }),
      getCaseProjection(context.db, user, case_id, { now }),
    ]);
    return { statement, projection };
  } catch (error) {
    const isHidden = error instanceof DomainError && (error.status === 403 || error.status === 404);
    if (isHidden) return null;
    throw error;
  }
}

/** Shows an invalid period as errors on its two fields. */
async function readStatement(
  context: AdminContext,
  user: StaffActor['user'],
  { case_id, requested, now }: RequestedMoney,
): Promise<ShownStatement> {
  const shown = { caseId: case_id, requested };
  try {
    const statement = await readCaseStatement(context, user, case_id, readPeriod(requested, now), now);
    return { ...shown, statement, problem: undefined };
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    return { ...shown, statement: null, problem: error.message };
  }
}
