import type { DisbursementStatus } from '@case-platform/modules/disbursements';
import { type BankFile, bankDayFor, batchAfter } from './bank-files.ts';
import { DECIDED_AFTER, type DemoRequest } from './demo-request.ts';
import { daysSince } from './moments.ts';

/** One step of a demo request, for the audit log. */
export interface LifeStep {
  command: 'create' | 'submit' | 'revise' | 'approve' | 'deny' | 'cancel' | 'batch' | 'pay' | 'return' | 'retry' | 'end';
  /** The person's name, or null for the bank. */
  by: string | null;
  before: DisbursementStatus | null;
  after: DisbursementStatus;
  /** Days before now. */
  when: number;
  note?: Record<string, unknown>;
  /** The file of a `batch` step. */
  file?: BankFile;
}

const GATHERED_BY = 'Felix Brandt';
/** "No account, or it cannot be found", which the payee can fix. */
const RETURN_CODE = 'R03';
/** Before its change, a changed request had this many cents more. */
const CORRECTED_CENTS = 9_00;
const RETURNED_AFTER = 2;
const RETRIED_AFTER = 3;

/** The steps that bring a request to its state, with their people and times. */
export function lifeOf(request: DemoRequest, specialist: string): LifeStep[] {
  const { by, approver, written, end, reason, amount_cents, category, description, changed } = request;
  const create: LifeStep = {
    command: 'create',
    by,
    before: null,
    after: 'draft',
    when: written,
    note: { amount_cents: amount_cents + (changed ? CORRECTED_CENTS : 0), category, description },
  };
  if (end === 'draft') return [create];
  if (end === 'cancelled') return [create, { command: 'cancel', by, before: 'draft', after: 'cancelled', when: written - 0.6 }];
  const sent = [create, ...sending(request)];
  if (end === 'submitted') return sent;
  const decided = { by: approver, before: 'submitted', when: written - DECIDED_AFTER } as const;
  if (end === 'denied') return [...sent, { ...decided, command: 'deny', after: 'denied', note: { reason: reason ?? '' } }];
  const approved: LifeStep[] = [...sent, { ...decided, command: 'approve', after: 'approved' }];
  if (end === 'approved') return approved;
  const atBank = [...approved, ...paying(decided.when)];
  if (end === 'paid' || end === 'batched') return atBank;
  const returned = (atBank.at(-1)?.when ?? 0) - RETURNED_AFTER;
  const back: LifeStep = {
    command: 'return',
    by: null,
    before: 'paid',
    after: 'returned',
    when: returned,
    note: { return_code: RETURN_CODE },
  };
  if (end === 'returned') return [...atBank, back];
  const retried = returned - RETRIED_AFTER;
  const ended = { by: specialist, before: 'returned', after: 'ended', when: retried } as const;
  if (end === 'ended') return [...atBank, back, { ...ended, command: 'end', note: { reason: reason ?? '' } }];
  const again: LifeStep = {
    command: 'retry',
    by: specialist,
    before: 'returned',
    after: 'approved',
    when: retried,
    note: { return_code: RETURN_CODE, reason: 'The digits were read out on the phone and are right now.' },
  };
  return [...atBank, back, again, ...(end === 'paid_again' ? paying(retried) : [])];
}

/** A request is submitted minutes after it was written, and a changed one is submitted twice. */
function sending({ by, written, amount_cents, changed = false }: DemoRequest): LifeStep[] {
  const send = (when: number): LifeStep => ({ command: 'submit', by, before: 'draft', after: 'submitted', when });
  if (!changed) return [send(written - 0.02)];
  const revise: LifeStep = {
    command: 'revise',
    by,
    before: 'submitted',
    after: 'draft',
    when: written - 0.3,
    note: { amount_cents },
  };
  return [send(written - 0.02), revise, send(written - 0.32)];
}

function paying(decided: number): LifeStep[] {
  const file = batchAfter(decided);
  if (file === null) return [];
  const batch: LifeStep = {
    command: 'batch',
    by: GATHERED_BY,
    before: 'approved',
    after: 'batched',
    when: file.made + 0.01,
    file,
  };
  if (file.state !== 'settled') return [batch];
  const when = daysSince(bankDayFor(file.made));
  return [batch, { command: 'pay', by: null, before: 'batched', after: 'paid', when }];
}
