import { createHash, randomBytes } from 'node:crypto';
import { type ChangedBy, recordAudit } from '@case-platform/lib/audit';
import type { Database, Executor } from '@case-platform/lib/database';
import { ConflictError, NotFoundError } from '@case-platform/lib/errors';
import { query, sql } from '@case-platform/lib/sql';

export interface Agency {
  id: number;
  name: string;
}

export interface AgencyKey {
  id: number;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

/** A second key can be issued before the first one is revoked, so that rotation has no gap (KEY-1). */
const LIVE_KEYS_MAX = 2;

/**
 * Issues a key of 256 random bits and stores only its SHA-256. The key is returned once and never shown again (KEY-1).
 * @throws {NotFoundError} for an unknown agency. @throws {ConflictError} if the agency already has two active keys.
 */
export async function issueAgencyKey(db: Database, agencyId: number, by: ChangedBy): Promise<{ id: number; key: string }> {
  const key = `agency_${randomBytes(32).toString('base64url')}`;
  return db.transaction(async (tx) => {
    const [agency] = await query<Agency>(tx, sql`select id, name from agency where id = ${agencyId} for update`);
    if (agency === undefined) throw new NotFoundError();
    const live = await query(tx, sql`select id from agency_api_key where agency_id = ${agencyId} and revoked_at is null`);
    if (live.length >= LIVE_KEYS_MAX) {
      throw new ConflictError('This agency already has two live keys. Revoke one first.', 'too_many_keys');
    }
    const [row] = await query<{ id: number }>(
      tx,
      sql`insert into agency_api_key (agency_id, key_hash) values (${agencyId}, ${hashKey(key)}) returning id`,
    );
    const id = row?.id ?? 0;
    await recordAudit(tx, {
      ...by,
      action: 'agency.issue_key',
      subject_id: agency.id,
      subject_label: agency.name,
      after: { key_id: id },
    });
    return { id, key };
  });
}

/** Revokes a key at once. @throws {NotFoundError} if the agency has no such active key. */
export async function revokeAgencyKey(db: Database, agencyId: number, keyId: number, by: ChangedBy): Promise<void> {
  await db.transaction(async (tx) => {
    const [agency] = await query<Agency>(
      tx,
      sql`update agency_api_key k set revoked_at = now() from agency a
           where a.id = k.agency_id and k.agency_id = ${agencyId} and k.id = ${keyId} and k.revoked_at is null
          returning a.id, a.name`,
    );
    if (agency === undefined) throw new NotFoundError();
    await recordAudit(tx, {
      ...by,
      action: 'agency.revoke_key',
      subject_id: agency.id,
      subject_label: agency.name,
      before: { key_id: keyId },
    });
  });
}

/** The keys of an agency, newest first, without the keys' own text. */
export async function listAgencyKeys(db: Executor, agencyId: number): Promise<AgencyKey[]> {
  return query<AgencyKey>(
    db,
    sql`select id, created_at, last_used_at, revoked_at from agency_api_key where agency_id = ${agencyId}
         order by id desc`,
  );
}

/** The agency with this active key, or null (KEY-1). Stores the time of use at most once a minute. */
export async function findAgencyByKey(db: Executor, key: string): Promise<Agency | null> {
  const [match] = await query<Agency & { key_id: number; fresh: boolean }>(
    db,
    sql`select a.id, a.name, k.id as key_id, coalesce(k.last_used_at > now() - interval '1 minute', false) as fresh
          from agency_api_key k join agency a on a.id = k.agency_id
         where k.key_hash = ${hashKey(key)} and k.revoked_at is null`,
  );
  if (match === undefined) return null;
  if (!match.fresh) await query(db, sql`update agency_api_key set last_used_at = now() where id = ${match.key_id}`);
  return { id: match.id, name: match.name };
}

function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
