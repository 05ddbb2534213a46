import { recordAudit, SYSTEM } from '@case-platform/lib/audit';
import type { Database, Transaction } from '@case-platform/lib/database';
import { query, sql, trustedSql } from '@case-platform/lib/sql';
import { removeAttachedFiles } from '@case-platform/modules/storage';
import { findRecords, type PersonRecord } from './find-records.ts';
import { replaceWords } from './replace-words.ts';

/** Tables that concern only their owner, whose rows are deleted. */
const OWN_TABLES = [
  'address_change',
  'admin_session',
  'backup_code',
  'ended_web_session',
  'idempotency_key',
  'last_sign_in',
  'message_mail',
  'notification_preference',
  'password_reset',
  'pending_upload',
  'push_subscription',
  'sign_in',
  'tfa_challenge',
  'unsubscribe_key',
  'delivery',
].map(trustedSql);

/** The results of an erasure, as counts. */
export interface Erasure {
  ids: number[];
  messages: number;
  files: number;
  replaced: number;
}

/**
 * Erases a person in one transaction (PRIVACY-2). Data that concerns only them is deleted; ledger, audit log, and requests stay,
 * with a pseudonym instead of the name. The worker removes their files.
 * @returns null when the person was already erased.
 * @throws when the account is still in use, or money is on its way to them.
 */
export async function erasePerson(db: Database, userId: number, now: Date): Promise<Erasure | null> {
  return db.transaction(async (tx) => {
    const records = await findRecords(tx, userId);
    if (records.every(({ erased_at }) => erased_at !== null)) return null;
    requireNoAccountInUse(records);
    const ids = records.map(({ id }) => id);
    await requireNoMoneyOnItsWay(tx, ids);
    // Allows changes of texts in append-only tables during this transaction.
    await query(tx, sql`select set_config('platform.erasing', 'yes', true)`);
    const formerAddresses = await findFormerAddresses(tx, ids);
    const files = await removeFiles(tx, ids);
    const messages = await emptyMessages(tx, ids);
    await removeOwn(tx, records, formerAddresses);
    const pseudonym = `Person ${ids[0]}`;
    const replaced = await replaceWords(tx, records, formerAddresses, pseudonym);
    await renameRecords(tx, ids, now);
    const erasure = { ids, messages, files, replaced };
    for (const id of ids) await recordErasure(tx, id, erasure);
    return erasure;
  });
}

function requireNoAccountInUse(records: readonly PersonRecord[]): void {
  const inUse = records.filter(({ status }) => status !== 'deactivated').map(({ id }) => id);
  if (inUse.length === 0) return;
  throw new Error(`Deactivate user ${inUse.join(' and ')} first, so that others take over their tasks.`);
}

async function requireNoMoneyOnItsWay(tx: Transaction, ids: number[]): Promise<void> {
  const requests = await query<{ what: string }>(
    tx,
    sql`select 'request ' || id as what from disbursement_request
         where payee_id = any(${ids}) and status in ('submitted', 'approved', 'batched')
        union all
        select 'scheduled payment ' || id from scheduled_payment where payee_id = any(${ids}) and status = 'planned'
        order by 1`,
  );
  if (requests.length === 0) return;
  throw new Error(`Money is on its way to this person: ${requests.map(({ what }) => what).join(', ')}.`);
}

async function findFormerAddresses(tx: Transaction, ids: number[]): Promise<string[]> {
  const rows = await query<{ address: string }>(
    tx,
    sql`select old_address as address from address_change where user_id = any(${ids})
        union select new_address from address_change where user_id = any(${ids})`,
  );
  return rows.map(({ address }) => address);
}

/**
 * Deletes their own files, attachments of their messages, and receipts of requests that they never submitted. Receipts of
 * payments stay.
 */
async function removeFiles(tx: Transaction, ids: number[]): Promise<number> {
  const rows = await removeAttachedFiles(
    tx,
    sql`with own as (delete from user_file where user_id = any(${ids}) returning storage_key),
             sent as (delete from message_file f using message m join user_account u on u.id = m.from_id
                       where f.message_id = m.id and m.from_id = any(${ids}) and u.user_type <> 'admin'
                   returning f.storage_key),
             draft as (delete from disbursement_file f using disbursement_request d
                        where f.disbursement_id = d.id and d.created_by = any(${ids}) and d.status in ('draft', 'cancelled')
                          and d.submitted_at is null
                    returning f.storage_key)
        select storage_key from own union all select storage_key from sent union all select storage_key from draft`,
  );
  return rows.length;
}

/** Retracts their messages. Messages of staff are letters of the company, and stay under the pseudonym. */
async function emptyMessages(tx: Transaction, ids: number[]): Promise<number> {
  const emptied = await query<{ id: number }>(
    tx,
    sql`update message m set message = '', retracted_at = coalesce(retracted_at, now()), client_key = null,
               admin_viewed = case when to_admin then coalesce(admin_viewed, now()) end
          from user_account u
         where u.id = m.from_id and m.from_id = any(${ids}) and u.user_type <> 'admin' returning m.id`,
  );
  const messageIds = emptied.map(({ id }) => id);
  await query(tx, sql`update message_recipient set viewed = now() where message_id = any(${messageIds}) and viewed is null`);
  await query(
    tx,
    sql`update message_chain c set subject = '' from user_account u
         where u.id = c.created_by and c.created_by = any(${ids}) and u.user_type <> 'admin'`,
  );
  return emptied.length;
}

async function removeOwn(tx: Transaction, records: readonly PersonRecord[], formerAddresses: readonly string[]): Promise<void> {
  const ids = records.map(({ id }) => id);
  for (const table of OWN_TABLES) await query(tx, sql`delete from ${table} where user_id = any(${ids})`);
  const addresses = [
    ...records.flatMap(({ email_address, phone, proved_phones }) => [email_address, phone, ...proved_phones]),
    ...formerAddresses,
  ].filter((address) => address !== null);
  await query(tx, sql`delete from delivery where lower(recipient) = any(${addresses})`);
  await query(tx, sql`delete from suppression where lower(address) = any(${addresses})`);
  await query(tx, sql`delete from suppression_lift where lower(address) = any(${addresses})`);
  await query(
    tx,
    sql`update disbursement_request set status = 'cancelled', status_since = now()
         where created_by = any(${ids}) and status = 'draft'`,
  );
  await query(tx, sql`update audit_entry set ip_address = null, visit_id = null where actor_id = any(${ids})`);
  await emptyBankAccounts(tx, ids);
}

/** A batch refers to the accounts that it paid, and its encrypted file keeps what was sent to the bank. */
async function emptyBankAccounts(tx: Transaction, ids: number[]): Promise<void> {
  await query(
    tx,
    sql`delete from payee_bank_account a where user_id = any(${ids})
           and not exists (select from banking_batch_entry where bank_account_id = a.id)`,
  );
  await query(
    tx,
    sql`update payee_bank_account
           set holder_name = 'Person ' || user_id, routing_number = '000000000', account_number = '', last_four = '0000',
               correction = null, replaced_at = coalesce(replaced_at, now())
         where user_id = any(${ids})`,
  );
}

async function renameRecords(tx: Transaction, ids: number[], now: Date): Promise<void> {
  await query(
    tx,
    sql`update user_account
           set first_name = 'Person', last_name = id::text, email_address = 'person-' || id || '@erased.invalid',
               password_hash = null, password_stands_alone = null, phone = null, confirmed_phone = null, proved_phones = '{}',
               two_factor_method = null, two_factor_secret = null, totp_last_step = null, timezone = 'UTC',
               admin_role_id = null, updated_at = ${now}, erased_at = ${now}
         where id = any(${ids})`,
  );
}

async function recordErasure(tx: Transaction, id: number, { messages, files }: Erasure): Promise<void> {
  await recordAudit(tx, {
    actor: null,
    origin: SYSTEM,
    action: 'user.erase',
    subject_id: id,
    subject_label: `Person ${id}`,
    after: { messages, files },
  });
}
