import type { Executor } from '@case-platform/lib/database';
import { type EncryptionKey, open } from '@case-platform/lib/encryption';
import { query, type Sql, sql } from '@case-platform/lib/sql';

/** A file of the archive, with its key in the storage. */
interface PersonFile {
  storage_key: string;
  name: string;
}

const CLEAN = /[^\p{L}\p{N}._ -]/gu;

/**
 * Reads everything that the platform has about a person, by subject (PRIVACY-1; docs/data.md, "A person's data"). About other
 * people it contains only what this person saw: names, and messages to them.
 * @param ids of all their records.
 */
export async function readPerson(
  db: Executor,
  ids: readonly number[],
  encryptionKey: EncryptionKey,
): Promise<{ subjects: Record<string, unknown[]>; files: PersonFile[] }> {
  const subjects: Record<string, unknown[]> = {};
  for (const [name, statement] of Object.entries(statementsOf(ids))) subjects[name] = await query(db, statement);
  subjects.bank_accounts = await readBankAccounts(db, ids, encryptionKey);
  const rows = await query<PersonFile & { folder: string; id: number }>(db, filesOf(ids));
  const files = rows.map(({ storage_key, folder, id, name }) => ({
    storage_key,
    name: `${folder}/${id}-${name.replaceAll(CLEAN, '_')}`,
  }));
  return { subjects, files };
}

const nameOf = (column: Sql) => sql`(select trim(n.first_name || ' ' || n.last_name) from user_account n where n.id = ${column})`;

function statementsOf(ids: readonly number[]): Record<string, Sql> {
  const received = sql`exists (select from message_recipient r where r.message_id = m.id and r.user_id = any(${ids}))`;
  return {
    records: sql`select id, user_type, email_address, first_name, last_name, phone, proved_phones, timezone, status,
                        two_factor_method, agency_id, created_at, updated_at from user_account where id = any(${ids}) order by id`,
    address_changes: sql`select user_id, old_address, new_address, requested_at, confirmed_at, ended_at
                           from address_change where user_id = any(${ids}) order by id`,
    sign_ins: sql`select user_id, layer, ip_address, user_agent, locale, signed_in_at from sign_in
                   where user_id = any(${ids}) order by id`,
    last_sign_ins: sql`select user_id, locale, signed_in_at from last_sign_in where user_id = any(${ids}) order by user_id`,
    devices: sql`select user_id, endpoint, user_agent, created_at from push_subscription
                  where user_id = any(${ids}) order by id`,
    notification_preferences: sql`select user_id, event, channel, enabled, updated_at from notification_preference
                                   where user_id = any(${ids}) order by event, channel`,
    notifications: sql`select id, channel, event, recipient, subject, state, created_at, sent_at, outcome from delivery
                        where user_id = any(${ids}) order by id`,
    cases: sql`select c.id, c.name, c.status, p.joined_at, p.left_at from case_participant p join case_file c on c.id = p.case_id
                where p.user_id = any(${ids}) order by c.id`,
    messages: sql`select m.id, m.chain_id, c.subject, c.case_id, m.from_id, ${nameOf(sql`m.from_id`)} as from_name,
                         m.message, m.created_at, m.retracted_at
                    from message m join message_chain c on c.id = m.chain_id
                   where m.from_id = any(${ids}) or ${received} order by m.id`,
    requests: sql`select d.id, d.case_id, d.status, d.amount_cents, d.category, d.description, d.payee_id,
                         ${nameOf(sql`d.payee_id`)} as payee_name, d.created_by, d.submitted_by, d.submitted_at,
                         d.approver_id, d.decided_at, d.decision_reason, d.bank_date, d.paid_at, d.returned_at, d.return_code, d.end_reason
                    from disbursement_request d
                   where d.created_by = any(${ids}) or d.revised_by && ${ids}::bigint[]
                      or (d.submitted_at is not null and (d.payee_id = any(${ids}) or d.approver_id = any(${ids}))) order by d.id`,
    scheduled_payments: sql`select id, case_id, category, description, due_date, amount_cents, status, paid_at
                              from scheduled_payment where payee_id = any(${ids}) order by id`,
    uploaded_documents: sql`select id, case_id, filename, content_type, size, created_at from case_document
                             where uploaded_by = any(${ids}) order by id`,
    // Actions of other people are included only if they changed this person's own record.
    audit_log: sql`select id, happened_at, action, actor_id = any(${ids}) as by_this_person, subject_type, subject_id,
                          before, after, case when actor_id = any(${ids}) then ip_address end as ip_address
                     from audit_entry
                    where actor_id = any(${ids})
                       or (subject_type in ('user', 'photo_id', 'profile_picture', 'bank_account') and subject_id = any(${ids}))
                    order by id`,
  };
}

/** Their own files, attachments of messages that they wrote or received, and receipts and documents that they uploaded. */
function filesOf(ids: readonly number[]): Sql {
  return sql`
    select storage_key, 'own' as folder, user_id as id, purpose || '-' || filename as name from user_file
     where user_id = any(${ids})
     union all
    select f.storage_key, 'messages', f.message_id, f.filename from message_file f join message m on m.id = f.message_id
     where m.from_id = any(${ids})
        or exists (select from message_recipient r where r.message_id = m.id and r.user_id = any(${ids}))
     union all
    select storage_key, 'receipts', id, filename from disbursement_file where uploaded_by = any(${ids})
     union all
    select storage_key, 'documents', id, filename from case_document where uploaded_by = any(${ids})
     order by 2, 3, 4, 1`;
}

async function readBankAccounts(db: Executor, ids: readonly number[], key: EncryptionKey): Promise<unknown[]> {
  const rows = await query<{ user_id: number; account_number: Buffer }>(
    db,
    sql`select id, user_id, holder_name, routing_number, account_number, account_kind, created_at, usable_from, replaced_at
          from payee_bank_account where user_id = any(${ids}) order by id`,
  );
  return rows.map(({ account_number: sealed, ...account }) => ({
    ...account,
    account_number: sealed.length === 0 ? null : open(key, 'bank account number', sealed, `user:${account.user_id}`),
  }));
}
