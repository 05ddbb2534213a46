import assert from 'node:assert/strict';
import { SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { type ChangedByUser, findActiveUser, findActiveUserById } from '@case-platform/modules/accounts';
import {
  approveDisbursement,
  batchDisbursements,
  cancelDisbursement,
  createDisbursement,
  type DisbursementStatus,
  denyDisbursement,
  endDisbursement,
  payDisbursements,
  returnDisbursement,
  submitDisbursement,
} from '@case-platform/modules/disbursements';
import { type CaseMoney, confirmCashEntry, listWaitingCashEntries, recordCashEntry } from '@case-platform/modules/ledger';
import { fromApiUserType } from '@case-platform/words/user-types';
import { DISBURSEMENT_VERSION } from '../../modules/disbursements/disbursement-version.ts';
import { CASE_1 } from './cast.ts';
import type { Answer, Client, TestApi } from './platform.ts';

/** Deposits money into a case, recorded by one administrator and confirmed by another. */
export async function fundCase({ db }: Pick<TestApi, 'db'>, caseId: number, amount_cents: number): Promise<void> {
  const entry = { kind: 'deposit', amount_cents, memo: 'Deposit' } as const;
  await moveCash({ db }, caseId, entry);
}

/** Records a deposit or refund, and has it confirmed. */
export async function moveCash(
  { db }: Pick<TestApi, 'db'>,
  caseId: number,
  entry: Omit<CaseMoney, 'idempotencyKey'>,
): Promise<void> {
  const [maker, checker] = await Promise.all(
    ['root@demo.test', 'totp-admin@demo.test'].map((email_address) => findActiveUser(db, { email_address, user_type: 'admin' })),
  );
  assert.ok(maker && checker);
  const id = await recordCashEntry(db, caseId, entry, { actor: maker, origin: SYSTEM });
  const waiting = await listWaitingCashEntries(db, checker, 100);
  const seen = waiting.find((one) => one.id === id);
  assert.ok(seen);
  await confirmCashEntry(db, seen, { actor: checker, origin: SYSTEM });
}

/** A request as the API returns it. */
export interface ApiDisbursement {
  id: number;
  case_id: number;
  status: DisbursementStatus;
  amount_cents: number;
  approver: { user_id: number } | null;
  [field: string]: unknown;
}

export const ASKED = { amount_cents: 12_500, category: 'Travel', description: 'Train to the clinic' };

/** The fields of a request, in case 1 unless another case is named. */
export interface RequestFields {
  case_id?: number;
  amount_cents?: number;
  category?: string;
  description?: string;
  scheduled_payment_id?: number | undefined;
  payee?: { user_type: string; user_id: number };
  [field: string]: unknown;
}

/** Creates a draft. A request for a scheduled payment gets its category unless another one is named. */
export async function draft(who: Client, { case_id = CASE_1, ...fields }: RequestFields = {}): Promise<ApiDisbursement> {
  const { scheduled_payment_id: lineId } = fields;
  const { body: calendar } =
    lineId === undefined ? { body: null } : await who.get(`/api/cases/${case_id}/scheduled-payments?limit=100`);
  const line = calendar?.data.find(({ id }: { id: number }) => id === lineId);
  const category = line?.category ?? ASKED.category;
  const answer = await who.post(`/api/cases/${case_id}/disbursements`, { ...ASKED, category, ...fields });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/**
 * Decides about a request in its current version, like someone with a fresh page. Someone who does not see the request sends an
 * unknown version.
 */
export async function decide(who: Client, id: number, command: 'approve' | 'deny', body: object = {}): Promise<Answer> {
  const seen = await who.get(`/api/disbursements/${id}`);
  const account_seen = command === 'approve' ? seen.body.payee_account?.version : undefined;
  return who.post(`/api/disbursements/${id}/${command}`, { version: seen.body.version ?? 'none', account_seen, ...body });
}

/** Runs a command on a request, and returns the changed request. */
export async function move(who: Client, id: number, command: string, body?: object): Promise<ApiDisbursement> {
  const isDecision = command === 'approve' || command === 'deny';
  const answer = isDecision ? await decide(who, id, command, body) : await who.post(`/api/disbursements/${id}/${command}`, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** Runs a step of the bank in its own transaction. */
export function asBank<Result>({ db }: Pick<TestApi, 'db'>, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return db.transaction(work);
}

const BY = { actor: null, origin: SYSTEM };

/** The steps of the bank, each for one request. */
export const BANK = {
  batch: (tx: Transaction, id: number) => batchDisbursements(tx, [id], BY, new Date()),
  pay: (tx: Transaction, id: number) => payDisbursements(tx, [id], BY, new Date()),
  return: (tx: Transaction, id: number) => returnDisbursement(tx, id, 'R01', BY, new Date()),
};

/**
 * Creates a request of the maker, and brings it to a state through the usual steps. It runs their commands without the API, which
 * would read the request for each of its answers.
 */
export async function bringTo(
  api: TestApi,
  { maker, checker }: { maker: Client; checker: Client },
  status: DisbursementStatus,
  fields: RequestFields = {},
): Promise<number> {
  const { db } = api;
  const by = async ({ userId }: Client) => {
    const actor = await findActiveUserById(db, userId);
    assert.ok(actor);
    return { actor, origin: { layer: 'api' } } as const;
  };
  const id = await createRequest(api, await by(maker), fields);
  if (status === 'draft') return id;
  if (status === 'cancelled') await cancelDisbursement(api, id, await by(maker));
  else await submitDisbursement(api, id, await by(maker));
  if (status === 'cancelled' || status === 'submitted') return id;
  const [seen] = await query<{ version: string }>(
    db,
    sql`select ${DISBURSEMENT_VERSION} as version from disbursement_request d where d.id = ${id}`,
  );
  const version = seen?.version ?? '';
  if (status === 'denied') await denyDisbursement(api, id, { version, reason: 'Not covered' }, await by(checker));
  else await approveDisbursement(api, id, { version }, await by(checker));
  const steps = {
    batched: ['batch'],
    paid: ['batch', 'pay'],
    returned: ['batch', 'pay', 'return'],
    ended: ['batch', 'pay', 'return'],
  } as const;
  for (const step of steps[status as keyof typeof steps] ?? []) await asBank(api, (tx) => Promise.resolve(BANK[step](tx, id)));
  if (status === 'ended') await endDisbursement(api, id, { reason: 'Paid by check' }, await by(await api.as('root')));
  return id;
}

/** Creates a draft with the fields that the API takes. A request for a scheduled payment gets its category. */
async function createRequest(
  { db }: TestApi,
  by: ChangedByUser,
  { case_id = CASE_1, payee, ...fields }: RequestFields,
): Promise<number> {
  const { scheduled_payment_id: lineId = null } = fields;
  const [line] = await query<{ category: string }>(db, sql`select category from scheduled_payment where id = ${lineId}`);
  const user_type = fromApiUserType(payee?.user_type ?? '');
  const input = { ...ASKED, ...line, ...fields, payee: payee && user_type && { ...payee, user_type } };
  return (await createDisbursement({ db }, case_id, input, by)).id;
}
