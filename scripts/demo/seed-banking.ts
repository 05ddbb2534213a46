import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { generateFile, getBatch, releaseFile, setBankAccount, setBankProfile, signFile } from '@case-platform/modules/banking';
import { type BankFile, bankDayFor } from './bank-files.ts';
import { WITHOUT_ACCOUNT } from './case-plans.ts';
import { insertNumbered, insertRow } from './insert.ts';
import { ago, daysSince } from './moments.ts';
import type { SeededRequest } from './seed-money.ts';
import type { People } from './seed-people.ts';

/** Public routing numbers. The account numbers are invented. */
const ROUTING_NUMBERS = ['021000021', '121042882', '026009593', '122105155', '111000025'];
const FIRST_ACCOUNT = 456_701;

const BANK = {
  routing_number: '091000019',
  bank_name: 'Demo Bank',
  immediate_origin: '1123456789',
  company_name: 'Case Platform',
  company_id: '1123456789',
  entry_description: 'PAYMENT',
  same_day: false,
  with_notes: false,
  balanced: true,
  offset_routing_number: '091000019',
  offset_account_number: '000456700',
  offset_account_kind: 'checking' as const,
};

const MAKER = 'Felix Brandt';
const CHECKER = 'Ruth Adeyemi';
const SENDER = 'Tobias Wren';
const BANK_NOTE = 'The bank’s portal says: received.';
/** Bank files are created for the last weeks only; earlier payments have none. */
const KEPT_DAYS = 75;

interface Seed {
  tx: Transaction;
  people: People;
  encryptionKey: string;
}

/** Seeds payees' bank accounts, our bank, and the batches with the requests. */
export async function seedBanking(seed: Seed, requests: readonly SeededRequest[]): Promise<void> {
  await seedAccounts(seed, requests);
  await setBankProfile({ db: seed.tx, encryptionKey: seed.encryptionKey }, BANK, {
    by: as(seed, 'Ruth Adeyemi', 590),
    version: 'none',
  });
  const steps = requests.flatMap(({ life, ...of }) =>
    life.flatMap((step, at) => {
      const { file } = step;
      const back = life.slice(at).find(({ command }) => command === 'return' || command === 'retry');
      return file === undefined || file.made > KEPT_DAYS ? [] : [{ ...of, file, back: back?.command === 'return' ? back : null }];
    }),
  );
  const files = Map.groupBy(steps, ({ file }) => file.made);
  const accounts = await listAccounts(seed.tx);
  for (const made of [...files.keys()].sort((a, b) => b - a)) {
    const own = files.get(made) ?? [];
    const entries = own.map(({ id, request, back }) => ({
      disbursement_id: id,
      amount_cents: request.amount_cents,
      bank_account_id: accounts.get(seed.people.of(request.payee).id) ?? 0,
      returned_at: back === null ? null : ago(back.when),
      return_code: back === null ? null : 'R03',
    }));
    const [first] = own;
    if (first !== undefined) await seedBatch(seed, first.file, entries);
  }
}

/** Sets each payee's account before the first payment to them. */
async function seedAccounts(seed: Seed, requests: readonly SeededRequest[]): Promise<void> {
  const oldest = new Map(requests.map(({ request }) => [request.payee, request.written] as const).reverse());
  const payees = [...oldest].filter(([name]) => !WITHOUT_ACCOUNT.includes(name));
  for (const [at, [holder_name, written]] of payees.entries()) {
    const account = {
      holder_name,
      routing_number: ROUTING_NUMBERS[at % ROUTING_NUMBERS.length] ?? '',
      account_number: String(FIRST_ACCOUNT + at * 37).padStart(9, '0'),
      account_kind: at % 4 === 1 ? ('savings' as const) : ('checking' as const),
    };
    const [days, { tx: db, encryptionKey }] = [written + 1.5, seed];
    const change = { by: as(seed, holder_name, days), now: ago(days) };
    await setBankAccount({ db, encryptionKey }, seed.people.of(holder_name).id, account, change);
  }
  // Setting a first account does this for requests that still wait for a batch (BANK-8).
  await query(
    seed.tx,
    sql`update disbursement_request d set approved_account_id = a.id from payee_bank_account a
         where a.user_id = d.payee_id and a.replaced_at is null and d.approved_account_id is null
           and d.status in ('batched', 'paid', 'returned', 'ended')`,
  );
}

async function listAccounts(tx: Transaction): Promise<Map<number, number>> {
  const rows = await query<{ id: number; user_id: number }>(tx, sql`select id, user_id from payee_bank_account`);
  return new Map(rows.map(({ id, user_id }) => [user_id, id]));
}

type Entry = Readonly<{
  disbursement_id: number;
  amount_cents: number;
  bank_account_id: number;
  returned_at: Date | null;
  return_code: string | null;
}>;

/** Seeds a batch that two people made and approved. The platform's own code makes and signs its file. */
async function seedBatch(seed: Seed, { state, made }: BankFile, entries: readonly Entry[]): Promise<void> {
  const { tx, people, encryptionKey } = seed;
  const isDraft = state === 'draft';
  const batch_id = await insertRow(tx, 'banking_batch', {
    status: isDraft ? 'draft' : 'approved',
    created_by: people.of(MAKER).id,
    created_at: ago(made + 0.02),
    approved_by: isDraft ? null : people.of(CHECKER).id,
    entry_count: entries.length,
    total_cents: entries.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
  });
  const plain = entries.map(({ returned_at: _at, return_code: _code, ...entry }) => ({ ...entry, batch_id }));
  const ids = await insertNumbered(tx, 'banking_batch_entry', plain);
  const { list_sha256, total_cents } = await getBatch(tx, batch_id, new Date());
  const disbursement_ids = entries.map(({ disbursement_id }) => disbursement_id);
  await addStep(seed, batch_id, { status: 'draft', by: MAKER, when: made + 0.02, after: { disbursement_ids } });
  if (isDraft) return;
  await addStep(seed, batch_id, { status: 'approved', by: CHECKER, when: made + 0.01, after: { list_sha256 } });
  await generateFile({ db: tx, encryptionKey }, batch_id, list_sha256, as(seed, MAKER, made), ago(made));
  const { file_sha256 } = await getBatch(tx, batch_id, new Date());
  await signFile(tx, batch_id, file_sha256 ?? '', as(seed, CHECKER, made - 0.02), ago(made - 0.02));
  if (state === 'generated') return;
  await signFile(tx, batch_id, file_sha256 ?? '', as(seed, SENDER, made - 0.03), ago(made - 0.03));
  await releaseFile(tx, batch_id, file_sha256 ?? '', as(seed, SENDER, made - 0.04), ago(made - 0.04));
  const paid = daysSince(bankDayFor(made));
  await query(tx, sql`update banking_batch set status = ${state} where id = ${batch_id}`);
  const after = { outcome: 'accepted', note: BANK_NOTE };
  await addStep(seed, batch_id, { status: 'transmitted', by: SENDER, when: made - 0.06, note: BANK_NOTE, after });
  if (state === 'settled')
    await addStep(seed, batch_id, { status: 'settled', by: CHECKER, when: paid - 0.05, after: { total_cents } });
  for (const [at, { returned_at, return_code }] of entries.entries())
    if (returned_at !== null)
      await query(
        tx,
        sql`update banking_batch_entry set returned_at = ${returned_at}, return_code = ${return_code} where id = ${ids[at] ?? 0}`,
      );
}

/** The audit entry of each step, and the state before it. */
const ACTIONS = {
  draft: ['create', null],
  approved: ['approve', 'draft'],
  transmitted: ['confirm_outcome', 'outcome_unknown'],
  settled: ['settle', 'transmitted'],
} as const;

interface BatchStep {
  status: keyof typeof ACTIONS;
  by: string;
  when: number;
  note?: string;
  /** Added to the state in the audit log. */
  after: Record<string, unknown>;
}

/** Adds a step to the history of a batch and to the audit log, without any notifications. */
async function addStep(seed: Seed, batch_id: number, { status, by, when, note = '', after }: BatchStep): Promise<void> {
  const [action, before] = ACTIONS[status];
  await insertRow(seed.tx, 'banking_batch_step', {
    batch_id,
    status,
    user_id: seed.people.of(by).id,
    note,
    created_at: ago(when),
  });
  await recordAudit(seed.tx, {
    ...as(seed, by, when),
    action: `banking_batch.${action}`,
    subject_id: batch_id,
    subject_label: `Batch ${batch_id}`,
    before: before === null ? null : { status: before },
    after: { status, ...after },
  });
}

function as({ people }: Pick<Seed, 'people'>, name: string, days: number): ChangedBy {
  const actor = people.of(name);
  return { actor, origin: { layer: actor.user_type === 'admin' ? 'admin' : 'api', happened_at: ago(days) } };
}
