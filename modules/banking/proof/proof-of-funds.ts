import type { Executor } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ConflictError } from '@case-platform/lib/errors';
import { query, type Sql, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { balanceIsVisible, hiddenBalanceError } from '@case-platform/modules/ledger';
import { readProofCode, type StatedFunds, writeProofCode } from './proof-code.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const VALID_DAYS = 90;

/** A proof states these facts about a case, and never a name (PROOF-1). */
export interface ProofOfFunds extends StatedFunds {
  expires_at: Date;
}

export interface ProofContext {
  db: Executor;
  encryptionKey: EncryptionKey;
}

/**
 * States how much a case has available now, under a code that anyone with the paper can check. Nothing is stored, because the
 * code contains the statement (PROOF-2).
 * @throws {NotFoundError} @throws {ForbiddenError} for people who may not see the case's balance.
 * @throws {ConflictError} `no_funds` when nothing is available.
 */
export async function proveFunds(
  { db, encryptionKey }: ProofContext,
  actor: User,
  caseId: number,
  now: Date,
): Promise<ProofOfFunds & { code: string }> {
  const { case_name: _, ...funds } = await stateFunds(db, actor, caseId, now);
  const statement = { id: null, ...funds };
  return { ...withEnd(statement), code: writeProofCode(encryptionKey, statement) };
}

/** Reads what a case has available. @throws as `proveFunds`. */
export async function stateFunds(
  db: Executor,
  actor: User,
  caseId: number,
  now: Date,
): Promise<Omit<StatedFunds, 'id'> & { case_name: string }> {
  const [balance] = await query<{ cents: number; name: string }>(
    db,
    sql`select c.name, (select coalesce(-sum(b.amount_cents), 0)::bigint from ledger_balance b
                         where b.case_id = c.id and b.account = 'funds') as cents
          from case_file c where c.id = ${caseId} and ${balanceIsVisible(actor)}`,
  );
  if (balance === undefined) throw await hiddenBalanceError(db, actor, caseId);
  if (balance.cents <= 0) throw new ConflictError('This case has no money available to prove.', 'no_funds');
  const made_at = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  return { case_id: caseId, case_name: balance.name, amount_cents: balance.cents, made_at };
}

/**
 * Reads the statement of a code and checks that it still holds: it is at most 90 days old, was not withdrawn, the case is open,
 * and at least as much is available (PROOF-1).
 * @returns null for an unknown code.
 */
export async function findProofOfFunds(
  { db, encryptionKey }: ProofContext,
  code: string,
  now: Date,
): Promise<(ProofOfFunds & { holds: boolean; withdrawn_at: Date | null }) | null> {
  const statement = readProofCode(encryptionKey, code);
  if (statement === null) return null;
  const proof = withEnd(statement);
  const [row] = await query<{ holds: boolean; withdrawn_at: Date | null }>(
    db,
    sql`select ${isCovered(sql`${proof.amount_cents}::bigint`)} as holds, p.withdrawn_at
          from case_file c left join proof_of_funds p on p.id = ${proof.id}
         where c.id = ${proof.case_id} and (p.id is not null or ${proof.id}::bigint is null)`,
  );
  if (row === undefined) return null;
  return { ...proof, holds: row.holds && row.withdrawn_at === null && proof.expires_at > now, withdrawn_at: row.withdrawn_at };
}

/** A condition on `case_file c`: it is open, and has at least this amount available. */
export function isCovered(amount: Sql): Sql {
  return sql`(c.status not in ('closed', 'cancelled')
              and ${amount} <= (select coalesce(-sum(b.amount_cents), 0) from ledger_balance b
                                 where b.case_id = c.id and b.account = 'funds'))`;
}

export function withEnd<Stated extends Pick<StatedFunds, 'made_at'>>(statement: Stated): Stated & { expires_at: Date } {
  return { ...statement, expires_at: new Date(statement.made_at.getTime() + VALID_DAYS * DAY_MS) };
}
