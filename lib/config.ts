import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { readBrand } from './brand.ts';
import { developmentSecrets } from './config/development-secrets.ts';
import { ownHost } from './config/own-host.mjs';
import { productionProblems } from './config/production-problems.ts';
import { readLimits } from './config/read-limits.ts';
import { readRetention } from './config/read-retention.ts';
import { createReader, type Environment, type Reader } from './config/read-settings.ts';
import type { ProcessName } from './config/settings-of-processes.mjs';

/** A configuration that the platform cannot start with. The message names every wrong setting at once, and never a value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: string[];
  constructor(problems: string[]) {
    super(problems.length === 1 ? problems[0] : `The configuration has ${problems.length} problems: ${problems.join(' ')}`);
    this.problems = problems;
  }
}

export type Config = ReturnType<typeof readConfig>['config'];

const ENVIRONMENTS = ['production', 'development', 'test'] as const;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** The guard of the internal endpoint reads no longer key. */
const MASTER_API_KEY_MAX_LENGTH = 200;

/** Push services of the browsers. `*.` stands for one or more labels. */
const PUSH_HOSTS = [
  'fcm.googleapis.com',
  // Chromium as built by Linux distributions.
  'jmt17.google.com',
  'updates.push.services.mozilla.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];

/**
 * Reads the settings of a process from the environment. Any of them may be given as `NAME_FILE`, the path of a file with the
 * value. Settings of other processes count as unset (SETTING-4). In development a missing secret is generated once and kept in
 * `DATA_DIR` (SETTING-3); production generates nothing.
 * @param of the process, or several whose settings are checked together.
 * @throws {ConfigError} naming every setting that is missing, malformed, or unsafe.
 */
export function loadConfig(of: ProcessName | readonly ProcessName[], environment: Environment = process.env): Config {
  const { config, problems } = readConfig(of, environment);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** Like `loadConfig`, but returns the problems together with everything that could be read. */
export function readConfig(of: ProcessName | readonly ProcessName[], environment: Environment = process.env) {
  const problems: string[] = [];
  const processes = [of].flat();
  const read = createReader(processes, environment, problems);
  const production = read.choice('NODE_ENV', ENVIRONMENTS) === 'production';
  const dataDir = resolve(read.text('DATA_DIR', '.data'));
  const secrets = production ? {} : developmentSecrets(dataDir, read, problems);
  const secret = (name: string) => read.optional(name) ?? secrets[name] ?? '';
  const host = read.text('HOST', '127.0.0.1');
  const addresses = readAddresses(read, ownHost(host));

  const { name: brandName } = readBrand(environment, problems);
  const forcePathStyle = hasBucketInPath(read);

  const config = {
    production,
    /** Whether the sign-in pages offer the people of the demo, which `npm start` sets when they exist (DEMO-4). */
    offersDemoPeople: !production && read.flag('DEMO_PEOPLE'),
    dataDir,
    host,
    ...readWatching(read, problems, production),
    logLevel: read.choice('LOG_LEVEL', LOG_LEVELS) ?? 'info',
    trustProxy: readProxies(read, problems),
    /** Proves to the API that its caller may name the visitor's address and the request's id (lib/http/forwarding.ts). */
    forwardingSecret: read.optional('FORWARDING_SECRET'),
    ...readDatabase(read, problems),
    redisUrl: readRedis(read, problems),
    ...addresses,
    /** Where the web frontend sends staff to sign in; undefined if production does not name the address. */
    staffSignInUrl: production && read.optional('ADMIN_URL') === undefined ? undefined : `${addresses.adminUrl}/login`,
    jwtSecret: secret('JWT_SECRET'),
    /** The previous key: tokens signed with it are still accepted, and no new ones are signed with it. */
    jwtSecretPrevious: read.optional('JWT_SECRET_PREVIOUS'),
    authSecret: secret('AUTH_SECRET'),
    authSecretPrevious: read.optional('AUTH_SECRET_PREVIOUS'),
    encryptionKey: secret('ENCRYPTION_KEY'),
    /** The current key, plus a previous or next key that can decrypt but not encrypt. */
    encryptionKeys: withPrevious(secret('ENCRYPTION_KEY'), read.optional('ENCRYPTION_KEY_PREVIOUS')),
    masterApiKey: secret('MASTER_API_KEY'),
    masterApiKeyPrevious: read.optional('MASTER_API_KEY_PREVIOUS'),
    accessTokenTtl: read.integer('ACCESS_TOKEN_TTL', 1800, 1, 86_400),
    refreshTokenTtl: read.integer('REFRESH_TOKEN_TTL', 86_400, 1, 30 * 86_400),
    sessionIdleTtl: read.integer('SESSION_IDLE_TTL', 3600, 1, 43_200),
    strictPageGuard: read.flag('STRICT_PAGE_GUARD'),
    limits: readLimits(read),
    retention: readRetention(read),
    vapid: {
      publicKey: secret('VAPID_PUBLIC_KEY'),
      privateKey: secret('VAPID_PRIVATE_KEY'),
      subject: read.text('VAPID_SUBJECT', 'mailto:push@demo.test'),
      /** The previous pair: devices that subscribed with it still get pushes (PUSH-12). */
      previous: previousVapidPair(read, problems),
    },
    pushAllowedHosts: (read.optional('PUSH_ALLOWED_HOSTS')?.split(',') ?? PUSH_HOSTS).map((host) => host.trim()),
    ...readProviders(read, problems, brandName),
    /**
     * Where browsers read and write files. A web frontend in production that does not know the address allows any https origin.
     */
    storageOrigin: storageOrigin(read, production, addresses.storageUrl),
    s3: {
      endpoint: read.optional('S3_ENDPOINT') === undefined ? addresses.storageUrl : read.url('S3_ENDPOINT', ''),
      region: read.text('S3_REGION', 'us-east-1'),
      bucket: read.text('S3_BUCKET', 'case-platform'),
      accessKeyId: secret('S3_ACCESS_KEY_ID'),
      secretAccessKey: secret('S3_SECRET_ACCESS_KEY'),
      forcePathStyle,
    },
  };
  if (config.masterApiKey.length > MASTER_API_KEY_MAX_LENGTH) {
    problems.push(`MASTER_API_KEY is longer than ${MASTER_API_KEY_MAX_LENGTH} characters.`);
  }
  if (production) problems.push(...productionProblems(read, processes));
  return { config, problems: [...new Set(problems)] };
}

/** Like `loadConfig`, for processes that need a database. */
export function loadConfigWithDatabase(of: ProcessName | readonly ProcessName[], environment: Environment = process.env): Config {
  const config = loadConfig(of, environment);
  if (config.databaseUrl === '') {
    throw new ConfigError(['DATABASE_URL is not set. `npm start` sets it for the embedded PostgreSQL.']);
  }
  return config;
}

function readDatabase(read: Reader, problems: string[]) {
  const databaseUrl = read.databaseUrl('DATABASE_URL') ?? '';
  /** Bypasses a pooler, for LISTEN, locks, and the queue. */
  const directUrl = read.databaseUrl('DATABASE_DIRECT_URL');
  if (directUrl !== undefined && directUrl === databaseUrl) {
    problems.push('DATABASE_DIRECT_URL is the same as DATABASE_URL: without a pooler it is not needed.');
  }
  const replicaUrl = read.databaseUrl('DATABASE_REPLICA_URL');
  if (replicaUrl?.includes(',')) problems.push('DATABASE_REPLICA_URL must name one host.');
  return {
    databaseUrl,
    /** A standby that answers what may lag (SCALE-5). */
    databaseReplicaUrl: replicaUrl,
    databaseDirectUrl: directUrl ?? databaseUrl,
    /** True if `databaseUrl` leads through a pooler, where a connection has no session of its own. */
    isPooled: directUrl !== undefined,
    /** The schema's owner, for migrations only. If unset, migrations use the applications' address. */
    migrationDatabaseUrl: read.databaseUrl('MIGRATION_DATABASE_URL'),
    /** Addresses of processes with their own database role. They bypass any pooler, because preparing the database uses them. */
    roleUrls: {
      api: read.databaseUrl('API_DATABASE_URL'),
      admin: read.databaseUrl('ADMIN_DATABASE_URL'),
      worker: read.databaseUrl('WORKER_DATABASE_URL'),
    },
  };
}

/** Undefined without Redis (SCALE-1). */
function readRedis(read: Reader, problems: string[]): string | undefined {
  const url = read.optional('REDIS_URL');
  const address = url === undefined ? null : URL.parse(url);
  if (url !== undefined && (address === null || !/^rediss?:$/.test(address.protocol) || address.hostname === ''))
    problems.push('REDIS_URL must be an address like redis://host:6379 or rediss://user:password@host:6380/1.');
  return url;
}

function readAddresses(read: Reader, host: string) {
  const port = (name: string, fallback: number) => read.integer(name, fallback, 0, 65535);
  const webPort = port('WEB_PORT', 3000);
  const apiPort = port('API_PORT', 4000);
  const adminPort = port('ADMIN_PORT', 4001);
  const storagePort = port('STORAGE_PORT', 4002);
  const apiUrl = read.url('API_URL', `http://${host}:${apiPort}`);
  return {
    webPort,
    apiPort,
    adminPort,
    storagePort,
    apiUrl,
    /** The address at which the web frontend's server and the worker call the API. */
    apiInternalUrl: read.url('API_INTERNAL_URL', apiUrl),
    webUrl: read.url('WEB_URL', `http://${host}:${webPort}`),
    adminUrl: read.url('ADMIN_URL', `http://${host}:${adminPort}`),
    storageUrl: read.url('STORAGE_URL', `http://${host}:${storagePort}`),
  };
}

/** How each process is observed and how it stops. */
function readWatching(read: Reader, problems: string[], production: boolean) {
  const port = (name: string) => (read.optional(name) === undefined ? undefined : read.integer(name, 0, 0, 65535));
  return {
    internalHost: read.text('INTERNAL_HOST', '127.0.0.1'),
    /** Without it, no one can read the metrics (METRIC-2). */
    metricsToken: read.optional('METRICS_TOKEN'),
    internalPorts: {
      web: port('WEB_INTERNAL_PORT'),
      api: port('API_INTERNAL_PORT'),
      admin: port('ADMIN_INTERNAL_PORT'),
      worker: port('WORKER_INTERNAL_PORT'),
    },
    tracing: readTracing(read, problems),
    /** True to log every answer. */
    accessLog: read.optional('ACCESS_LOG') === undefined ? production : read.flag('ACCESS_LOG'),
    /** Seconds between reporting not ready and rejecting requests, so that load balancers notice in time. */
    drainSeconds: read.integer('DRAIN_SECONDS', production ? 5 : 0, 0, 300),
  };
}

/** Where traces are sent, if anywhere, under OpenTelemetry's names for these settings. */
function readTracing(read: Reader, problems: string[]) {
  if (read.optional('OTEL_EXPORTER_OTLP_ENDPOINT') === undefined) return undefined;
  const pairs = (read.optional('OTEL_EXPORTER_OTLP_HEADERS') ?? '').split(',').filter((pair) => pair.trim() !== '');
  const headers = pairs.map((pair) => /^\s*([\w-]+)=(.*)$/.exec(pair)?.slice(1) ?? []);
  if (headers.some(([, value]) => value === undefined || !/^[\x20-\x7e]*$/.test(value))) {
    problems.push('OTEL_EXPORTER_OTLP_HEADERS must hold name=value pairs, with commas between them.');
  }
  return { endpoint: read.url('OTEL_EXPORTER_OTLP_ENDPOINT', ''), headers: Object.fromEntries(headers) };
}

/** Addresses, ranges, or words for ranges; `none` means that there is no proxy. */
function readProxies(read: Reader, problems: string[]): string | undefined {
  const value = read.optional('TRUST_PROXY');
  if (value === undefined || value === 'none') return undefined;
  const isProxy = (text: string) => {
    const [address = '', bits] = text.split('/');
    const width = isIP(address) === 4 ? 32 : 128;
    if (isIP(address) === 0) return ['loopback', 'linklocal', 'uniquelocal'].includes(text);
    return bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= width);
  };
  const proxies = value.split(',').map((text) => text.trim());
  if (!proxies.every(isProxy)) problems.push('TRUST_PROXY must name the addresses of proxies, or be none.');
  return value;
}

/** An IP address has no names below it, so the S3 client puts the bucket into the path there, whatever the flag says. */
function hasBucketInPath(read: Reader): boolean {
  const endpoint = read.optional('S3_ENDPOINT');
  if (read.flag('S3_FORCE_PATH_STYLE') || endpoint === undefined) return true;
  return URL.canParse(endpoint) && isIP(new URL(endpoint).hostname.replace(/^\[|\]$/g, '')) !== 0;
}

/** The bucket is either in the path or a label of the host name. */
function storageOrigin(read: Reader, production: boolean, storageUrl: string): string {
  const endpoint = read.optional('S3_ENDPOINT');
  if (endpoint === undefined) return production ? 'https:' : new URL(storageUrl).origin;
  if (!URL.canParse(endpoint)) return '';
  const { protocol, host, origin } = new URL(endpoint);
  return hasBucketInPath(read) ? origin : `${protocol}//${read.text('S3_BUCKET', 'case-platform')}.${host}`;
}

/** Mail and SMS providers. `EMAIL_PROVIDER=none` says that no mail provider is intended. */
function readProviders(read: Reader, problems: string[], brandName: string) {
  read.choice('EMAIL_PROVIDER', ['none']);
  const optionalUrl = (name: string) => (read.optional(name) === undefined ? undefined : read.url(name, ''));
  const twilio = {
    accountSid: read.optional('TWILIO_ACCOUNT_SID'),
    authToken: read.optional('TWILIO_AUTH_TOKEN'),
    from: read.optional('TWILIO_FROM'),
    baseUrl: optionalUrl('TWILIO_BASE_URL'),
  };
  const settings = ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'];
  const missing = settings.filter((name) => read.optional(name) === undefined);
  const isConfigured = missing.length < settings.length || twilio.baseUrl !== undefined;
  if (read.isOurs('TWILIO_FROM') && isConfigured && missing.length > 0) {
    problems.push(`Twilio is half set up: ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set.`);
  }
  if (read.optional('SENDGRID_BASE_URL') !== undefined && read.optional('SENDGRID_API_KEY') === undefined) {
    problems.push('SendGrid is half set up: SENDGRID_API_KEY is not set.');
  }
  return {
    emailFrom: read.text('EMAIL_FROM', `${brandName} <no-reply@demo.test>`),
    mailpitUrl: optionalUrl('MAILPIT_URL'),
    sendgrid: {
      apiKey: read.optional('SENDGRID_API_KEY'),
      baseUrl: optionalUrl('SENDGRID_BASE_URL'),
      templates: readTemplates(read, problems),
      /** The key that verifies SendGrid's reports; without it, no report is accepted. */
      webhookPublicKey: read.optional('SENDGRID_WEBHOOK_PUBLIC_KEY'),
    },
    twilio,
  };
}

/** The account's template for each name that a staff page uses, as JSON: `{"invitation": "d-..."}` (EMAIL-17). */
function readTemplates(read: Reader, problems: string[]): Record<string, string> {
  const text = read.optional('SENDGRID_TEMPLATES');
  if (text === undefined) return {};
  try {
    const templates: unknown = JSON.parse(text);
    const isMap = typeof templates === 'object' && templates !== null && !Array.isArray(templates);
    if (isMap && Object.values(templates).every((id) => typeof id === 'string' && id !== '')) {
      return templates as Record<string, string>;
    }
  } catch {
    // The problem below describes the format.
  }
  problems.push('SENDGRID_TEMPLATES must be a JSON object of names and template ids.');
  return {};
}

function withPrevious(current: string, previous: string | undefined): readonly [string, ...string[]] {
  return previous === undefined ? [current] : [current, previous];
}

function previousVapidPair(read: Reader, problems: string[]) {
  const publicKey = read.optional('VAPID_PUBLIC_KEY_PREVIOUS');
  const privateKey = read.optional('VAPID_PRIVATE_KEY_PREVIOUS');
  if (publicKey !== undefined && privateKey !== undefined) return { publicKey, privateKey };
  if (publicKey !== undefined || privateKey !== undefined) {
    problems.push('VAPID_PUBLIC_KEY_PREVIOUS and VAPID_PRIVATE_KEY_PREVIOUS must be set together.');
  }
  return undefined;
}
