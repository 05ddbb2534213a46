import { createECDH, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reader } from './read-settings.ts';

/** Secrets that development generates once and keeps in `DATA_DIR/secrets.json` (SETTING-3); production must bring its own. */
export const SECRETS = ['JWT_SECRET', 'AUTH_SECRET', 'ENCRYPTION_KEY', 'MASTER_API_KEY'] as const;
export const KEY_PAIR = ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'] as const;
export const STORE_KEYS = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;

/**
 * Returns the file's secrets, generated on first use. Several processes may start at once, and link() lets exactly one file win.
 */
export function developmentSecrets(dataDir: string, read: Reader, problems: string[]): Record<string, string> {
  const names = [...SECRETS, ...KEY_PAIR, ...STORE_KEYS].filter((name) => read.isOurs(name));
  if (names.every((name) => read.optional(name) !== undefined)) return {};
  const path = join(dataDir, 'secrets.json');
  try {
    mkdirSync(dataDir, { recursive: true });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(makeSecrets(), null, 2)}\n`, { mode: 0o600 });
    try {
      linkSync(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    const secrets = JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
    return Object.fromEntries(names.map((name) => [name, secrets[name] ?? '']));
  } catch (error) {
    problems.push(`DATA_DIR cannot be used (${(error as NodeJS.ErrnoException).code ?? 'its secrets.json is damaged'}).`);
    return {};
  }
}

/** One of each, as strong as production requires. */
export function makeSecrets(): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const name of SECRETS) secrets[name] = randomBytes(32).toString('base64url');
  // A VAPID pair is a P-256 key pair in base64url (RFC 8292, 3.2).
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  secrets.VAPID_PUBLIC_KEY = pair.getPublicKey('base64url');
  secrets.VAPID_PRIVATE_KEY = Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
  secrets.S3_ACCESS_KEY_ID = `dev${randomBytes(8).toString('hex')}`;
  secrets.S3_SECRET_ACCESS_KEY = randomBytes(32).toString('base64url');
  return secrets;
}
