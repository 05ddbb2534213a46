import { createHash } from 'node:crypto';
import { recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor, Transaction } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ConflictError, ForbiddenError, NotFoundError } from '@case-platform/lib/errors';
import { writeOnce } from '@case-platform/lib/idempotency';
import { limitTo, query, type Sql, sql } from '@case-platform/lib/sql';
import { parseLine } from '@case-platform/lib/text/typed-text';
import { adminHasPermission, type ChangedByUser, type Permission, type User } from '@case-platform/modules/accounts';
import { type CasePerson, personJson } from '@case-platform/modules/cases';
import { balanceIsVisible, hiddenBalanceError } from '@case-platform/modules/ledger';
import { ADDRESSEE_MAX } from '@case-platform/words/limits';
import { writeProofCode } from './proof-code.ts';
import { isCovered, type ProofContext, type ProofOfFunds, stateFunds, withEnd } from './proof-of-funds.ts';

/** A proof of funds that was issued to someone (PROOF-4). */
export interface IssuedProof extends ProofOfFunds {
  id: number;
  code: string;
  addressee: string;
  issued_by: CasePerson;
  /** True while it is what its page says: not withdrawn, at most 90 days old, the case open, and the money available. */
  holds: boolean;
  withdrawn_at: Date | null;
  /** True if the reader may withdraw it. */
  may_withdraw: boolean;
}

interface IssueContext {
  db: Database;
  encryptionKey: EncryptionKey;
  now: () => Date;
}

/**
 * Issues a proof of funds to an addressee, and records it.
 * @returns its id.
 * @throws {InvalidInputError} for an addressee that is empty or too long. @throws as `proveFunds`.
 */
export async function issueProof(
  { db, now }: Pick<IssueContext, 'db' | 'now'>,
  caseId: number,
  input: { addressee: string; idempotencyKey?: string | undefined },
  by: ChangedByUser,
): Promise<{ id: number }> {
  const addressee = parseAddressee(input.addressee);
  const hashRequest = () =>
    createHash('sha256')
      .update(JSON.stringify(['proof', caseId, addressee]))
      .digest();
  return writeOnce(db, { userId: by.actor.id, key: input.idempotencyKey, hashRequest }, async (tx) => {
    const { case_name, amount_cents, made_at } = await stateFunds(tx, by.actor, caseId, now());
    const [row] = await query<{ id: number }>(
      tx,
      sql`insert into proof_of_funds (case_id, amount_cents, made_at, addressee, issued_by)
          values (${caseId}, ${amount_cents}, ${made_at}, ${addressee}, ${by.actor.id}) returning id`,
    );
    const after = { addressee, amount_cents };
    await audit(tx, 'case.issue_proof', { id: caseId, name: case_name }, { by, after });
    return { id: row?.id ?? 0 };
  });
}

export function parseAddressee(text: string): string {
  const empty = 'Enter who the proof is for.';
  return parseLine(text, { field: 'addressee', label: 'The addressee', max: ADDRESSEE_MAX, empty });
}

/**
 * Withdraws a proof, whose page says so from then on. Its issuer can, and staff of the case with one of `PROOF_WITHDRAWERS`.
 * @throws {NotFoundError} @throws {ForbiddenError} for everyone else. @throws {ConflictError} `withdrawn` the second time.
 */
export async function withdrawProof(
  { db, now }: Pick<IssueContext, 'db' | 'now'>,
  { caseId, id }: { caseId: number; id: number },
  by: ChangedByUser,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [proof] = await query<
      Pick<Row, 'addressee' | 'amount_cents' | 'withdrawn_at' | 'may_withdraw'> & { case_name: string }
    >(
      tx,
      sql`select p.addressee, p.amount_cents, p.withdrawn_at, ${mayWithdraw(by.actor)} as may_withdraw, c.name as case_name
            from proof_of_funds p join case_file c on c.id = p.case_id
           where p.id = ${id} and p.case_id = ${caseId} and ${balanceIsVisible(by.actor)} for update of p`,
    );
    if (proof === undefined) throw new NotFoundError();
    if (!proof.may_withdraw) throw new ForbiddenError('Only the person who issued this proof, and our team, can withdraw it.');
    if (proof.withdrawn_at !== null) throw new ConflictError('This proof is already withdrawn.', 'withdrawn');
    await query(tx, sql`update proof_of_funds set withdrawn_at = ${now()}, withdrawn_by = ${by.actor.id} where id = ${id}`);
    const before = { addressee: proof.addressee, amount_cents: proof.amount_cents };
    await audit(tx, 'case.withdraw_proof', { id: caseId, name: proof.case_name }, { by, before });
  });
}

async function audit(
  tx: Transaction,
  action: 'case.issue_proof' | 'case.withdraw_proof',
  { id, name }: { id: number; name: string },
  { by, before = null, after = null }: { by: ChangedByUser; before?: object | null; after?: object | null },
): Promise<void> {
  const change = { before: before && { ...before }, after: after && { ...after } };
  await recordAudit(tx, { ...by, action, subject_id: id, subject_label: name, case_id: id, ...change });
}

type Row = Omit<IssuedProof, 'code' | 'expires_at'>;

/** Staff with one of these withdraw the proofs of the cases that they see. */
export const PROOF_WITHDRAWERS = ['edit_case_details', 'make_payments'] as const satisfies Permission[];

function mayWithdraw({ id, user_type }: User): Sql {
  return user_type === 'admin' ? adminHasPermission(id, ...PROOF_WITHDRAWERS) : sql`p.issued_by = ${id}`;
}

/** The most proofs that a list shows; older ones have ended. */
const SHOWN_MAX = 100;

/**
 * Lists the issued proofs of a case, newest first, for people who may see its balance.
 * @throws {NotFoundError} @throws {ForbiddenError}
 */
export async function listProofs(context: ProofContext, reader: User, caseId: number, now: Date): Promise<IssuedProof[]> {
  const cases = await query(context.db, sql`select from case_file c where c.id = ${caseId} and ${balanceIsVisible(reader)}`);
  if (cases.length === 0) throw await hiddenBalanceError(context.db, reader, caseId);
  return readProofs(context, reader, sql`p.case_id = ${caseId}`, now);
}

/** @throws {NotFoundError} for a proof of a case whose balance the reader may not see. */
export async function getProof(
  context: ProofContext,
  reader: User,
  { caseId, id }: { caseId: number; id: number },
  now: Date,
): Promise<IssuedProof> {
  const [proof] = await readProofs(context, reader, sql`p.case_id = ${caseId} and p.id = ${id}`, now);
  if (proof === undefined) throw new NotFoundError();
  return proof;
}

async function readProofs(
  { db, encryptionKey }: { db: Executor; encryptionKey: EncryptionKey },
  reader: User,
  condition: Sql,
  now: Date,
): Promise<IssuedProof[]> {
  const rows = await query<Row>(
    db,
    sql`select p.id, p.case_id, p.amount_cents, p.made_at, p.addressee, p.withdrawn_at, ${personJson('issuer')} as issued_by,
               ${isCovered(sql`p.amount_cents`)} and p.withdrawn_at is null as holds,
               ${mayWithdraw(reader)} and p.withdrawn_at is null as may_withdraw
          from proof_of_funds p join case_file c on c.id = p.case_id join user_account issuer on issuer.id = p.issued_by
         where ${condition} and ${balanceIsVisible(reader)} order by p.id desc ${limitTo(SHOWN_MAX)}`,
  );
  return rows.map((row) => {
    const proof = { ...withEnd(row), code: writeProofCode(encryptionKey, row) };
    return { ...proof, holds: row.holds && proof.expires_at > now };
  });
}
