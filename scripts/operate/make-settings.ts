import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSecrets } from '@case-platform/lib/config/development-secrets';
import { exitWithError } from '@case-platform/lib/process';
import { type ProcessName, SETTINGS } from '../../lib/config/settings-of-processes.mjs';

const USAGE = 'npm run make-settings -- --domain example.com --to FOLDER';
const PROCESSES: readonly ProcessName[] = ['web', 'api', 'admin', 'worker', 'prepare'];
/** Only the operator knows these. */
const TO_BE_FILLED = [
  'DATABASE_URL',
  'MIGRATION_DATABASE_URL',
  'API_DATABASE_URL',
  'ADMIN_DATABASE_URL',
  'WORKER_DATABASE_URL',
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_BUCKET',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'SENDGRID_API_KEY',
];

/**
 * `npm run make-settings`: writes the settings of a new installation, one file for each process with only the settings that it
 * reads (SETTING-4), and with new secrets. systemd, Docker, and kubectl can read these files. Existing files are not changed.
 */
try {
  const { domain, folder } = readArguments();
  const all = makeSettings(domain);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of PROCESSES) {
    const file = join(folder, `${name}.env`);
    if (existsSync(file)) process.stdout.write(`${file} already exists and was not changed.\n`);
    else writeFileSync(file, linesOf(name, all), { mode: 0o600 });
  }
  process.stdout.write(`Fill in the empty settings in ${folder}: ${TO_BE_FILLED.join(', ')}.\n`);
} catch (error) {
  exitWithError(error);
}

function makeSettings(domain: string): Record<string, string> {
  return {
    WEB_URL: `https://app.${domain}`,
    API_URL: `https://api.${domain}`,
    ADMIN_URL: `https://staff.${domain}`,
    API_INTERNAL_URL: 'http://127.0.0.1:4080',
    TRUST_PROXY: 'loopback',
    ...makeSecrets(),
    FORWARDING_SECRET: randomBytes(32).toString('base64url'),
    METRICS_TOKEN: randomBytes(32).toString('base64url'),
    VAPID_SUBJECT: `mailto:cases@${domain}`,
    EMAIL_FROM: `cases@${domain}`,
    ...Object.fromEntries(TO_BE_FILLED.map((name) => [name, ''])),
  };
}

function linesOf(process: ProcessName, all: Record<string, string>): string {
  const isNeeded = (name: string) => SETTINGS[process].includes(name) && (process !== 'prepare' || name.endsWith('DATABASE_URL'));
  const own = Object.entries(all).filter(([name]) => isNeeded(name));
  return own.map(([name, value]) => `${name}=${value}\n`).join('');
}

function readArguments(): { domain: string; folder: string } {
  const options = { domain: { type: 'string' }, to: { type: 'string' } } as const;
  try {
    const { domain, to } = parseArgs({ options }).values;
    if (domain !== undefined && to !== undefined) return { domain, folder: to };
  } catch {
    // The usage below answers unknown arguments and missing values.
  }
  throw new Error(`Use: ${USAGE}`);
}
