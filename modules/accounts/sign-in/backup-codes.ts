import { createHmac, randomInt } from 'node:crypto';
import { run, type Transaction } from '@case-platform/lib/database';
import { deriveKey } from '@case-platform/lib/encryption';

const COUNT = 10;
/** Without letters and digits that are taken for each other. Ten of 31: 49 bits. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 10;

/** Replaces an account's backup codes and returns the new ones, which are shown once. */
export async function makeBackupCodes(tx: Transaction, encryptionKey: string, userId: number): Promise<string[]> {
  const codes = Array.from({ length: COUNT }, makeCode);
  await run(tx, 'delete from backup_code where user_id = $1', [userId]);
  await run(tx, 'insert into backup_code (user_id, code_hash) select $1, hash from unnest($2::bytea[]) as hash', [
    userId,
    codes.map((code) => hashBackupCode(encryptionKey, userId, code)),
  ]);
  return codes;
}

/** Whether this is one of the account's codes; it is used up by that. */
export async function spendBackupCode(
  tx: Transaction,
  encryptionKey: string,
  userId: number,
  code: string,
  now: Date,
): Promise<boolean> {
  const spent = await run(
    tx,
    'update backup_code set used_at = $3 where user_id = $1 and code_hash = $2 and used_at is null returning user_id',
    [userId, hashBackupCode(encryptionKey, userId, code), now],
  );
  return spent.length === 1;
}

function makeCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${letters.slice(0, 5)}-${letters.slice(5)}`;
}

function hashBackupCode(encryptionKey: string, userId: number, code: string): Buffer {
  const plain = code.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return createHmac('sha256', deriveKey(encryptionKey, 'backup code')).update(`${userId}:${plain}`).digest();
}
