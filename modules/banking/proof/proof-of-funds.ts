import { createHash, randomBytes } from 'node:crypto';
import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { ConflictError, TooManyRequestsError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';
import type { User } from '@case-platform/modules/accounts';
import { balanceIsVisible, refuseBalance } from '@case-platform/modules/disbursements';

/** Without I, L, O and U, which are read as other signs (Crockford's base 32). */
const SIGNS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 100 random bits: nobody guesses one. */
const CODE_LENGTH = 20;
const DAY_MS = 86_400_000;
const VALID_DAYS = 90;
/** Papers that one person has made in a day. */
const MADE_MAX = 20;

/** What is stated about a case, and never a name (decisions, section 14). */
export interface ProofOfFunds {
  case_id: number;
  amount_cents: number;
  made_at: Date;
  expires_at: Date;
}

/**
 * States what a case has available now, under a code that is known to whoever has the paper alone.
 * @throws {NotFoundError} @throws {ForbiddenError} for those who may not see the case's balance.
 * @throws {ConflictError} `no_funds` where there is nothing to prove. @throws {TooManyRequestsError} after twenty in a day.
 */
export async function makeProofOfFunds(
  db: Database,
  caseId: number,
  { actor, origin }: ChangedBy & { actor: User },
  now: Date,
): Promise<ProofOfFunds & { code: string }> {
  return db.transaction(async (tx) => {
    const [found] = await query<{ name: string; cents: number; made: number }>(
      tx,
      sql`select c.name, (select coalesce(-sum(b.amount_cents), 0)::bigint from ledger_balance b
                           where b.case_id = c.id and b.account = 'funds') as cents,
                 (select count(*)::int from proof_of_funds p
                   where p.made_by = ${actor.id} and p.made_at > ${new Date(now.getTime() - DAY_MS)}) as made
            from case_file c where c.id = ${caseId} and ${balanceIsVisible(actor)}`,
    );
    if (found === undefined) return refuseBalance(tx, actor, caseId);
    if (found.cents <= 0) throw new ConflictError('This case has no money available to prove.', 'no_funds');
    if (found.made >= MADE_MAX)
      throw new TooManyRequestsError(3600, 'You’ve made 20 of these today. Try again tomorrow.');
    const code = newCode();
    const proof = {
      ...{ case_id: caseId, amount_cents: found.cents, made_at: now },
      expires_at: new Date(now.getTime() + VALID_DAYS * DAY_MS),
    };
    await query(
      tx,
      sql`insert into proof_of_funds (code_hash, case_id, amount_cents, made_by, made_at, expires_at)
          values (${hashOf(code)}, ${caseId}, ${proof.amount_cents}, ${actor.id}, ${now}, ${proof.expires_at})`,
    );
    await recordAudit(tx, {
      ...{ actor, origin, action: 'case.prove_funds' },
      ...{ subject_id: caseId, subject_label: found.name, case_id: caseId },
      after: { amount_cents: proof.amount_cents },
    });
    return { ...proof, code };
  });
}

/** What a code states, and whether it still holds: the case is open and has at least as much available; null for no code. */
export async function findProofOfFunds(
  db: Executor,
  code: string,
  now: Date,
): Promise<(ProofOfFunds & { holds: boolean }) | null> {
  const [found] = await query<ProofOfFunds & { holds: boolean }>(
    db,
    sql`select p.case_id, p.amount_cents, p.made_at, p.expires_at,
               p.expires_at > ${now} and c.status not in ('closed', 'cancelled')
                 and p.amount_cents <= (select coalesce(-sum(b.amount_cents), 0) from ledger_balance b
                                         where b.case_id = c.id and b.account = 'funds') as holds
          from proof_of_funds p join case_file c on c.id = p.case_id where p.code_hash = ${hashOf(code)}`,
  );
  return found ?? null;
}

function newCode(): string {
  const signs = [...randomBytes(CODE_LENGTH)].map((byte) => SIGNS[byte % SIGNS.length]).join('');
  return (signs.match(/.{4}/g) ?? []).join('-');
}

/** Of what was meant: people type small letters, leave out the hyphens, and take a zero for an O. */
function hashOf(code: string): Buffer {
  const meant = code
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll(/[^0-9A-Z]/g, '');
  return createHash('sha256').update(meant).digest();
}
