import { NotFoundError } from '@case-platform/lib/errors';
import { canAccessCase, findCaseOutline, listCasePeople, listScheduledPayments } from '@case-platform/modules/cases';
import { findCaseBalance, listCaseCashEntries, listCaseMovements } from '@case-platform/modules/disbursements';
import type { FastifyRequest } from 'fastify';
import type { AdminServer } from '../admin-server.ts';
import type { RefusedForm } from '../form/answer-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { readFrame } from '../page/frame.ts';
import { caseMoneyPage } from './case-money-page.ts';

const MOVEMENTS_SHOWN = 10;
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
  cursor?: string | undefined;
  refused?: RefusedForm | undefined;
}

/** Reads the money of a case with the forms that change it. @throws {NotFoundError} for a case that does not exist. */
export async function readCaseMoneyPage(
  { context }: AdminServer,
  request: FastifyRequest,
  actor: StaffActor,
  { case_id, done, cursor, refused }: Shown,
): Promise<string> {
  const { db } = context;
  const [outline, onCase, balance, movements, entries, payments, people, frame] = await Promise.all([
    findCaseOutline(db, case_id),
    canAccessCase(db, actor.user, case_id),
    findCaseBalance(db, case_id),
    listCaseMovements(db, case_id, { cursor, limit: MOVEMENTS_SHOWN }),
    listCaseCashEntries(db, actor.user, case_id),
    listScheduledPayments(db, case_id, { limit: PAYMENTS_SHOWN }),
    listCasePeople(db, case_id),
    readFrame(context, request, actor),
  ]);
  if (outline === null) throw new NotFoundError();
  return caseMoneyPage(frame, {
    ...{ outline, onCase, balance, movements, entries, payments: payments.data, people },
    ...{ done: DONE.get(done ?? ''), refused },
  });
}
