import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { NotFoundError } from '@case-platform/lib/errors';
import { enqueue } from '@case-platform/lib/jobs';
import { query, sql } from '@case-platform/lib/sql';
import { displayName, findActiveUserById, findLastAddressChange, type User } from '@case-platform/modules/accounts';
import {
  approveForFirstAccount,
  type Disbursement,
  listStoppedByAccountChange,
  lockPayee,
  moveDatesOfPayees,
  stopOutdatedPayments,
} from '@case-platform/modules/disbursements';
import { lockBanking } from '../banking-lock.ts';
import { announceBankAccountChange } from './announce-bank-account-change.ts';
import { type BankAccount, findBankAccount, requireSeenAccount } from './bank-account.ts';
import { type BankAccountInput, parseBankAccount } from './parse-bank-account.ts';
import { type AccountSeal, createAccountSeal } from './seal-account-number.ts';
import { unbatchPayments } from './unbatch-payments.ts';

/** Gives the owner time to notice a change that they did not make. */
const COOLING_OFF_MS = 48 * 3_600_000;
/** A new email address may belong to someone else, so accounts are not paid for a week after its change (ADDRESS-5). */
const NEW_ADDRESS_MS = 7 * 24 * 3_600_000;

interface BankingContext {
  db: Database;
  encryptionKey: EncryptionKey;
}

/** The person who sets an account and, for a form, the version of the account that it was opened with. */
export interface AccountChange {
  by: ChangedBy;
  now: Date;
  version?: string;
  /** Submits the requests that the change sends back again, also those that are still in a file (BANK-8). */
  resubmits?: boolean;
}

/**
 * Sets the account that a person is paid to (BANK-1, BANK-2, BANK-3). A change, and every account that staff enter, is announced
 * to the owner, is used after 48 hours (and not in the first week of a new email address), and removes the approvals given for
 * the previous account (BANK-8). Entering the same account again changes nothing.
 * @throws {ChangedError} when the form is about another account than the current one.
 * @throws {InvalidInputError} for an account that is not valid.
 * @throws {NotFoundError} for staff, and for people who are gone.
 */
export async function setBankAccount(
  { db, encryptionKey }: BankingContext,
  userId: number,
  given: BankAccountInput,
  { by, now, version, resubmits = false }: AccountChange,
): Promise<BankAccount> {
  const input = parseBankAccount(given);
  const seal = createAccountSeal(encryptionKey);
  return db.transaction(async (tx) => {
    await lockBanking(tx);
    if (version !== undefined) await requireSeenAccount(tx, userId, version);
    return replaceBankAccount(tx, seal, { userId, input, by, now, resubmits });
  });
}

interface AccountReplacement extends Pick<AccountChange, 'by' | 'now' | 'resubmits'> {
  userId: number;
  input: BankAccountInput;
}

/**
 * Lists the requests that `setBankAccount` would stop with this input: approved ones, and those whose file the bank does not have
 * (BANK-8). A first account that its owner enters stops nothing. The input is not compared with the current account, because the
 * preview needs no proof of identity, and could then be used to guess the number.
 * @throws {InvalidInputError} for an account that is not valid.
 */
export async function previewBankAccount(
  { db }: Pick<BankingContext, 'db'>,
  owner: User,
  input: BankAccountInput,
  now: Date,
): Promise<Disbursement[]> {
  parseBankAccount(input);
  if ((await findBankAccount(db, owner.id)) === null) return [];
  return listStoppedByAccountChange(db, owner, now);
}

/** Does the work of `setBankAccount` in a transaction that has locked banking, for input that was checked. */
export async function replaceBankAccount(
  tx: Transaction,
  seal: AccountSeal,
  { userId, input, by, now, resubmits = false }: AccountReplacement,
): Promise<BankAccount> {
  await lockPayee(tx, userId, 'change');
  const owner = await findActiveUserById(tx, userId);
  if (owner === null || owner.user_type === 'admin') throw new NotFoundError();
  const before = await findBankAccount(tx, userId);
  if (before !== null) {
    if (await isSame(tx, seal, before, input)) return before;
    await query(tx, sql`update payee_bank_account set replaced_at = ${now} where id = ${before.id}`);
  }
  // An account that someone else entered waits until its owner has had time to object, even when it is the first one (BANK-2).
  const isByStaff = by.actor?.id !== owner.id;
  const isChange = before !== null || isByStaff;
  const usable_from = await whenUsable(tx, owner, { isChange, now });
  const after = await insertAccount(tx, seal, { owner, input, by, now, usable_from, resubmits });
  await recordAudit(tx, {
    ...by,
    action: 'bank_account.set',
    subject_id: userId,
    subject_label: displayName(owner),
    before: before && shown(before),
    after: shown(after),
  });
  if (before !== null) await unbatchPayments(tx, before.id, { why: 'changed', by }, now);
  if (isChange) await stopOutdatedPayments(tx, userId, by, now);
  else {
    await approveForFirstAccount(tx, userId, after.id);
    await moveDatesOfPayees(tx, [userId], { now });
  }
  // Someone who set an account decides nothing that is paid to it (BANK-6).
  if (isByStaff && by.actor !== null) await enqueue(tx, 'reassign_approvals', { user_id: by.actor.id });
  if (usable_from > now) await announceBankAccountChange(tx, owner, after, now);
  return after;
}

/** A flagged account never counts as the same, because entering it again means that someone has checked it. */
async function isSame(tx: Transaction, seal: AccountSeal, before: BankAccount, input: BankAccountInput): Promise<boolean> {
  const [row] = await query<{ account_number: Buffer }>(
    tx,
    sql`select account_number from payee_bank_account where id = ${before.id}`,
  );
  const shownFields = ['holder_name', 'routing_number', 'account_kind'] as const;
  return (
    before.flag_code === null &&
    shownFields.every((name) => before[name] === input[name]) &&
    row !== undefined &&
    seal.open({ user_id: before.user_id }, row.account_number) === input.account_number
  );
}

/**
 * Now for a first account that its owner entered. A change, an account that staff enter, and any account of an owner whose
 * address is new cool off.
 */
async function whenUsable(tx: Transaction, owner: User, { isChange, now }: { isChange: boolean; now: Date }): Promise<Date> {
  const moved = await findLastAddressChange(tx, owner.id, now);
  if (!isChange && moved === null) return now;
  return new Date(Math.max(now.getTime() + COOLING_OFF_MS, (moved?.getTime() ?? 0) + NEW_ADDRESS_MS));
}

interface NewAccount extends Required<Omit<AccountReplacement, 'userId'>> {
  owner: User;
  usable_from: Date;
}

async function insertAccount(
  tx: Transaction,
  seal: AccountSeal,
  { owner, input, by, now, usable_from, resubmits }: NewAccount,
): Promise<BankAccount> {
  const holder_kind = ['owner', 'ip_rep'].includes(owner.user_type) ? 'company' : 'person';
  await query(
    tx,
    sql`insert into payee_bank_account (user_id, holder_name, holder_kind, routing_number, account_number, last_four,
                                        account_kind, created_by, created_at, usable_from, resubmits)
        values (${owner.id}, ${input.holder_name}, ${holder_kind}, ${input.routing_number},
                ${seal.seal({ user_id: owner.id }, input.account_number)}, ${input.account_number.slice(-4)},
                ${input.account_kind}, ${by.actor?.id ?? owner.id}, ${now}, ${usable_from}, ${resubmits})`,
  );
  return (await findBankAccount(tx, owner.id)) as BankAccount;
}

/** The audit log shows what changed, and nothing that money could be sent to. */
function shown({ holder_name, last_four, account_kind, usable_from }: BankAccount): Record<string, unknown> {
  return { holder_name, last_four, account_kind, usable_from };
}
