import { randomInt } from 'node:crypto';
import type { Transaction } from '@case-platform/lib/database';
import { type EncryptionKey, keyedHashes } from '@case-platform/lib/encryption';
import { query, sql } from '@case-platform/lib/sql';

const COUNT = 10;
/** Without letters and digits that look alike. Ten of 31 characters give 49 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 10;

/** Replaces an account's backup codes and returns the new ones, which are shown once (TWO-FACTOR-8). */
export async function makeBackupCodes(tx: Transaction, encryptionKey: EncryptionKey, userId: number): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, makeCode);
  await query(tx, sql`delete from backup_code where user_id = ${userId}`);
  await query(
    tx,
    sql`insert into backup_code (user_id, code_hash) select ${userId}, hash
          from unnest(${codes.map((code) => hashesOf(encryptionKey, userId, code)[0] ?? Buffer.of())}::bytea[]) as hash`,
  );
  return codes;
}

/** Uses up a backup code. @returns true if it was one of the account's unused codes. */
export async function spendBackupCode(
  tx: Transaction,
  encryptionKey: EncryptionKey,
  userId: number,
  code: string,
  now: Date,
): Promise<boolean> {
  const rows = await query(
    tx,
    sql`update backup_code set used_at = ${now} where user_id = ${userId}
           and code_hash = any(${hashesOf(encryptionKey, userId, code)}) and used_at is null returning user_id`,
  );
  return rows.length === 1;
}

function makeCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${letters.slice(0, 5)}-${letters.slice(5)}`;
}

function hashesOf(encryptionKey: EncryptionKey, userId: number, code: string): Buffer[] {
  const plain = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return keyedHashes(encryptionKey, 'backup code', `${userId}:${plain}`);
}
