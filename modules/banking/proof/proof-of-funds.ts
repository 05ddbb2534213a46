import type { Executor } from '@case-platform/lib/database';
import type { EncryptionKey } from '@case-platform/lib/encryption';
import { ConflictError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
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

interface ProofContext {
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
  const [balance] = await query<{ cents: number }>(
    db,
    sql`select (select coalesce(-sum(b.amount_cents), 0)::bigint from ledger_balance b
                 where b.case_id = c.id and b.account = 'funds') as cents
          from case_file c where c.id = ${caseId} and ${balanceIsVisible(actor)}`,
  );
  if (balance === undefined) throw await hiddenBalanceError(db, actor, caseId);
  if (balance.cents <= 0) throw new ConflictError('This case has no money available to prove.', 'no_funds');
  const made_at = new Date(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS);
  const stated = { case_id: caseId, amount_cents: balance.cents, made_at };
  return { ...withEnd(stated), code: writeProofCode(encryptionKey, stated) };
}

/**
 * Reads the statement of a code and checks that it still holds: it is at most 90 days old, the case is open, and at least as much
 * is available (PROOF-1).
 * @returns null for an unknown code.
 */
export async function findProofOfFunds(
  { db, encryptionKey }: ProofContext,
  code: string,
  now: Date,
): Promise<(ProofOfFunds & { holds: boolean }) | null> {
  const stated = readProofCode(encryptionKey, code);
  if (stated === null) return null;
  const proof = withEnd(stated);
  const [row] = await query<{ holds: boolean }>(
    db,
    sql`select c.status not in ('closed', 'cancelled')
               and ${proof.amount_cents} <= (select coalesce(-sum(b.amount_cents), 0) from ledger_balance b
                                              where b.case_id = c.id and b.account = 'funds') as holds
          from case_file c where c.id = ${proof.case_id}`,
  );
  return row === undefined ? null : { ...proof, holds: row.holds && proof.expires_at > now };
}

function withEnd(stated: StatedFunds): ProofOfFunds {
  return { ...stated, expires_at: new Date(stated.made_at.getTime() + VALID_DAYS * DAY_MS) };
}
