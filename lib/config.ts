import { createECDH, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What a person must set right before the platform can start. Names every offending setting at once, never a value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(
      problems.length === 1 ? problems[0] : `The configuration has ${problems.length} problems: ${problems.join(' ')}`,
    );
    this.problems = problems;
  }
}

export type Config = ReturnType<typeof loadConfig>;
type Environment = Record<string, string | undefined>;

/** Secrets that development makes once and keeps in `DATA_DIR/secrets.json`; production must bring its own. */
const SECRETS = ['JWT_SECRET', 'SESSION_SECRET', 'AUTH_SECRET', 'ENCRYPTION_KEY', 'MASTER_API_KEY'] as const;
const KEY_PAIR = ['VAPID_PUBLIC_KEY', 'VAPID_PRIVATE_KEY'] as const;
const STORE_KEYS = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const;
const SECRET_MIN_BYTES = 32;
const WELL_KNOWN = /change.?me|secret|password|example|default|^(.)\1+$|0123456789|demo-/i;
const DEVELOPMENT_ONLY = ['MAILPIT_URL', 'DEMO_SEED', 'TEST_CLOCK'];

/** Push services of the browsers; a `*.` stands for any one or more labels. */
const PUSH_HOSTS = [
  'fcm.googleapis.com',
  'updates.push.services.mozilla.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

/**
 * Reads the whole configuration from the environment (any name may be given as `NAME_FILE`, a path to its value).
 * In development a missing secret is made once and kept in `DATA_DIR`; in production nothing is made.
 * @throws {ConfigError} naming every setting that is missing, malformed or unsafe.
 */
export function loadConfig(environment: Environment = process.env) {
  const problems: string[] = [];
  const production = environment.NODE_ENV === 'production';
  const read = reader(environment, problems);
  const dataDir = resolve(read.text('DATA_DIR', '.data'));
  const made = production ? {} : developmentSecrets(dataDir, read, problems);
  const secret = (name: string) => read.optional(name) ?? made[name] ?? '';
  const port = (name: string, fallback: number) => read.integer(name, fallback, 0, 65535);
  const webPort = port('WEB_PORT', 3000);
  const apiPort = port('API_PORT', 4000);
  const adminPort = port('ADMIN_PORT', 4001);
  const storagePort = port('STORAGE_PORT', 4002);
  const storageUrl = read.url('STORAGE_URL', `http://localhost:${storagePort}`);

  const config = {
    production,
    dataDir,
    host: read.text('HOST', '127.0.0.1'),
    logLevel: read.text('LOG_LEVEL', 'info'),
    trustProxy: read.optional('TRUST_PROXY'),
    /** By which the web frontend proves to the API that the visitor's address it names counts (lib/forwarding.ts). */
    forwardingSecret: read.optional('FORWARDING_SECRET'),
    databaseUrl: read.text('DATABASE_URL', ''),
    /** The schema's owner, for migrating alone; without it the applications' own address is used for that too. */
    migrationDatabaseUrl: read.optional('MIGRATION_DATABASE_URL'),
    redisUrl: read.optional('REDIS_URL'),
    webPort,
    apiPort,
    adminPort,
    storagePort,
    webUrl: read.url('WEB_URL', `http://localhost:${webPort}`),
    apiUrl: read.url('API_URL', `http://localhost:${apiPort}`),
    adminUrl: read.url('ADMIN_URL', `http://localhost:${adminPort}`),
    storageUrl,
    jwtSecret: secret('JWT_SECRET'),
    /** The key before the last change: tokens signed with it are still accepted, none are made. */
    jwtSecretPrevious: read.optional('JWT_SECRET_PREVIOUS'),
    sessionSecret: secret('SESSION_SECRET'),
    authSecret: secret('AUTH_SECRET'),
    encryptionKey: secret('ENCRYPTION_KEY'),
    masterApiKey: secret('MASTER_API_KEY'),
    accessTokenTtl: read.integer('ACCESS_TOKEN_TTL', 1800, 1, 86_400),
    refreshTokenTtl: read.integer('REFRESH_TOKEN_TTL', 86_400, 1, 30 * 86_400),
    sessionIdleTtl: read.integer('SESSION_IDLE_TTL', 3600, 1, 43_200),
    strictPageGuard: read.flag('STRICT_PAGE_GUARD'),
    vapid: {
      publicKey: secret('VAPID_PUBLIC_KEY'),
      privateKey: secret('VAPID_PRIVATE_KEY'),
      subject: read.text('VAPID_SUBJECT', 'mailto:push@demo.test'),
      /** The pair before the last change: devices that subscribed with it still get pushes. */
      previous: previousVapidPair(read, problems),
    },
    pushAllowedHosts: (read.optional('PUSH_ALLOWED_HOSTS')?.split(',') ?? PUSH_HOSTS).map((host) => host.trim()),
    emailFrom: read.text('EMAIL_FROM', 'Case Platform <no-reply@demo.test>'),
    mailpitUrl: read.optional('MAILPIT_URL'),
    sendgrid: {
      apiKey: read.optional('SENDGRID_API_KEY'),
      baseUrl: read.optional('SENDGRID_BASE_URL'),
      /** What SendGrid signs its reports with, as its settings show it; without it no report is taken. */
      webhookPublicKey: read.optional('SENDGRID_WEBHOOK_PUBLIC_KEY'),
    },
    twilio: {
      accountSid: read.optional('TWILIO_ACCOUNT_SID'),
      authToken: read.optional('TWILIO_AUTH_TOKEN'),
      from: read.optional('TWILIO_FROM'),
      baseUrl: read.optional('TWILIO_BASE_URL'),
    },
    s3: {
      endpoint: read.optional('S3_ENDPOINT') ?? storageUrl,
      region: read.text('S3_REGION', 'us-east-1'),
      bucket: read.text('S3_BUCKET', 'case-platform'),
      accessKeyId: secret('S3_ACCESS_KEY_ID'),
      secretAccessKey: secret('S3_SECRET_ACCESS_KEY'),
      forcePathStyle: read.flag('S3_FORCE_PATH_STYLE') || read.optional('S3_ENDPOINT') === undefined,
    },
  };

  const addresses = { DATABASE_URL: config.databaseUrl, MIGRATION_DATABASE_URL: config.migrationDatabaseUrl ?? '' };
  for (const [name, url] of Object.entries(addresses)) {
    if (url !== '' && !/^postgres(ql)?:\/\//.test(url)) {
      problems.push(`${name} must begin with postgres:// or postgresql://.`);
    }
  }
  if (production) problems.push(...productionProblems(config, read));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Like `loadConfig`, for processes that cannot work without a database. */
export function loadConfigWithDatabase(environment: Environment = process.env): Config {
  const config = loadConfig(environment);
  if (config.databaseUrl === '') {
    throw new ConfigError(['DATABASE_URL is not set. `npm start` sets it for the embedded PostgreSQL.']);
  }
  return config;
}

function reader(environment: Environment, problems: string[]) {
  const optional = (name: string): string | undefined => {
    const file = environment[`${name}_FILE`];
    if (file !== undefined && file !== '') {
      try {
        return readFileSync(file, 'utf8').trim();
      } catch {
        problems.push(`${name}_FILE names a file that cannot be read.`);
        return undefined;
      }
    }
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  };
  return {
    optional,
    text: (name: string, fallback: string) => optional(name) ?? fallback,
    flag: (name: string) => ['1', 'true', 'yes'].includes((optional(name) ?? '').toLowerCase()),
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = optional(name);
      if (value === undefined) return fallback;
      if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
      problems.push(`${name} must be a whole number from ${min} to ${max}.`);
      return fallback;
    },
    url(name: string, fallback: string): string {
      const value = optional(name) ?? fallback;
      if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '');
      problems.push(`${name} must be an http or https address.`);
      return fallback;
    },
  };
}

function previousVapidPair(read: ReturnType<typeof reader>, problems: string[]) {
  const publicKey = read.optional('VAPID_PUBLIC_KEY_PREVIOUS');
  const privateKey = read.optional('VAPID_PRIVATE_KEY_PREVIOUS');
  if (publicKey !== undefined && privateKey !== undefined) return { publicKey, privateKey };
  if (publicKey !== undefined || privateKey !== undefined) {
    problems.push('VAPID_PUBLIC_KEY_PREVIOUS and VAPID_PRIVATE_KEY_PREVIOUS must be set together.');
  }
  return undefined;
}

/** The file's secrets, made on first use. Several processes may start at once: link() lets exactly one file win. */
function developmentSecrets(
  dataDir: string,
  read: ReturnType<typeof reader>,
  problems: string[],
): Record<string, string> {
  const names = [...SECRETS, ...KEY_PAIR, ...STORE_KEYS];
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
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    problems.push(
      `DATA_DIR cannot be used (${(error as NodeJS.ErrnoException).code ?? 'its secrets.json is damaged'}).`,
    );
    return {};
  }
}

function makeSecrets(): Record<string, string> {
  const made: Record<string, string> = {};
  for (const name of SECRETS) made[name] = randomBytes(32).toString('base64url');
  // A VAPID pair is a P-256 key pair in base64url (RFC 8292, 3.2).
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  made.VAPID_PUBLIC_KEY = pair.getPublicKey('base64url');
  made.VAPID_PRIVATE_KEY = Buffer.from(pair.getPrivateKey('hex').padStart(64, '0'), 'hex').toString('base64url');
  made.S3_ACCESS_KEY_ID = `dev${randomBytes(8).toString('hex')}`;
  made.S3_SECRET_ACCESS_KEY = randomBytes(32).toString('base64url');
  return made;
}

function productionProblems(config: { [key: string]: unknown }, read: ReturnType<typeof reader>): string[] {
  const problems: string[] = [];
  const seen = new Map<string, string>();
  for (const name of SECRETS) {
    const value = read.optional(name);
    if (value === undefined) problems.push(`${name} is not set.`);
    else if (Buffer.byteLength(value) < SECRET_MIN_BYTES) problems.push(`${name} is shorter than 32 bytes.`);
    else if (WELL_KNOWN.test(value)) problems.push(`${name} is a well-known or guessable value.`);
    else if (seen.has(value)) problems.push(`${name} is the same as ${seen.get(value)}.`);
    else seen.set(value, name);
  }
  for (const name of [...KEY_PAIR, ...STORE_KEYS, 'DATABASE_URL', 'S3_ENDPOINT', 'EMAIL_FROM', 'VAPID_SUBJECT']) {
    if (read.optional(name) === undefined) problems.push(`${name} is not set.`);
  }
  for (const name of ['WEB_URL', 'API_URL', 'ADMIN_URL']) {
    if (!read.url(name, 'http://unset').startsWith('https://')) problems.push(`${name} must be an https address.`);
  }
  for (const name of DEVELOPMENT_ONLY) {
    if (read.optional(name) !== undefined) problems.push(`${name} is for development only.`);
  }
  if (config.trustProxy === 'true') problems.push('TRUST_PROXY must name the proxies, not trust everyone.');
  return problems;
}
