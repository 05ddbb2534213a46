import { type ChangedBy, SYSTEM } from '@case-platform/lib/audit';
import type { Transaction } from '@case-platform/lib/database';
import { query, sql } from '@case-platform/lib/sql';
import { generateFile, getBatch, setBankAccount, setBankProfile, signFile } from '@case-platform/modules/banking';
import { insertRow, insertRows } from './insert.ts';
import type { DemoCast } from './seed-cast.ts';

/** Routing numbers that anybody may look up; the accounts belong to nobody. */
const ACCOUNTS: [who: string, holder: string, routing: string, number: string, kind: 'checking' | 'savings'][] = [
  ['surrogate', 'Sarah Lindgren', '021000021', '000456701', 'checking'],
  ['parent', 'Paige Whitlock', '121042882', '000456702', 'savings'],
  ['bothSurrogate', 'Camila Navarro', '021000021', '000456703', 'checking'],
];

const BANK = {
  ...{
    routing_number: '091000019',
    bank_name: 'Demo Bank',
    immediate_origin: '1123456789',
    company_name: 'Case Platform',
  },
  ...{ company_id: '1123456789', entry_description: 'PAYMENT', same_day: false, with_notes: false, balanced: true },
  ...{
    offset_routing_number: '091000019',
    offset_account_number: '000456700',
    offset_account_kind: 'checking' as const,
  },
};

/** Payees' bank accounts, our bank, and one batch: its file is made, and one of two people has signed it. */
export async function seedBanking(tx: Transaction, cast: DemoCast, encryptionKey: string): Promise<void> {
  const now = new Date();
  const context = { db: tx, encryptionKey };
  const as = (name: string): ChangedBy => ({ actor: cast[name] ?? null, origin: SYSTEM });
  for (const [who, holder_name, routing_number, account_number, account_kind] of ACCOUNTS) {
    const account = { holder_name, routing_number, account_number, account_kind };
    await setBankAccount(context, cast[who]?.id ?? 0, account, { by: as(who), now });
  }
  await setBankProfile(context, BANK, { by: as('root'), version: 'none' });
  const batchId = await insertBatch(tx, { maker: cast.finance?.id ?? 0, checker: cast.root?.id ?? 0 });
  const { list_sha256 } = await getBatch(tx, batchId);
  await generateFile(context, batchId, list_sha256, { by: as('finance'), now });
  const [made] = await query<{ file_sha256: Buffer }>(
    tx,
    sql`select file_sha256 from banking_batch where id = ${batchId}`,
  );
  await signFile(tx, batchId, made?.file_sha256.toString('hex') ?? '', as('root'));
}

/** An approved batch of the demo's requests that are on their way. */
async function insertBatch(tx: Transaction, { maker, checker }: { maker: number; checker: number }): Promise<number> {
  const requests = await query<{ disbursement_id: number; bank_account_id: number; amount_cents: number }>(
    tx,
    sql`select d.id as disbursement_id, a.id as bank_account_id, d.amount_cents
          from disbursement_request d join payee_bank_account a on a.user_id = d.payee_id
         where d.status = 'batched'`,
  );
  const batch_id = await insertRow(tx, 'banking_batch', {
    ...{ status: 'approved', created_by: maker, approved_by: checker, entry_count: requests.length },
    total_cents: requests.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
  });
  await insertRows(
    tx,
    'banking_batch_entry',
    requests.map((request) => ({ ...request, batch_id })),
  );
  await insertRows(tx, 'banking_batch_step', [
    { batch_id, status: 'draft', user_id: maker },
    { batch_id, status: 'approved', user_id: checker },
  ]);
  return batch_id;
}
