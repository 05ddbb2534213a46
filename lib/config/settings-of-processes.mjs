/**
 * @typedef {'web' | 'api' | 'admin' | 'worker' | 'storage' | 'prepare' | 'create-admin' | 'backup' | 'restore' | 'erase-person'
 * | 'export-person' | 'rotate-encryption'} ProcessName
 */

const EVERYBODY = ['NODE_ENV', 'DATA_DIR', 'HOST', 'LOG_LEVEL'];
const DATABASE = ['DATABASE_URL', 'DATABASE_DIRECT_URL'];
/** For processes that read what may lag (SCALE-5). */
const REPLICA = 'DATABASE_REPLICA_URL';
/** Shared by the processes with a database (SCALE-1). */
const REDIS = 'REDIS_URL';
/** The addresses of processes with their own database role, for the process that creates these roles. */
const ROLES = ['API_DATABASE_URL', 'ADMIN_DATABASE_URL', 'WORKER_DATABASE_URL'];
const STORE_PLACE = ['STORAGE_URL', 'STORAGE_PORT', 'S3_ENDPOINT', 'S3_BUCKET', 'S3_FORCE_PATH_STYLE'];
const STORE = [...STORE_PLACE, 'S3_REGION', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
const WEB = ['WEB_URL', 'WEB_PORT'];
const API = ['API_URL', 'API_PORT'];
const ADMIN = ['ADMIN_URL', 'ADMIN_PORT'];
const PUSH = [
  'VAPID_PUBLIC_KEY',
  'VAPID_PRIVATE_KEY',
  'VAPID_SUBJECT',
  'PUSH_ALLOWED_HOSTS',
  'VAPID_PUBLIC_KEY_PREVIOUS',
  'VAPID_PRIVATE_KEY_PREVIOUS',
];
/** The company's name and details (BRAND-1). */
const BRAND = ['BRAND_NAME', 'BRAND_ADDRESS', 'BRAND_LICENSE', 'BRAND_LOGO'];
/** Rate limits (RATE-3). */
const LIMITS = [
  'LIMIT_CALLS',
  'LIMIT_CALLS_ADDRESS',
  'LIMIT_MESSAGES',
  'LIMIT_LOGINS',
  'LIMIT_LOGINS_ADDRESS',
  'LIMIT_LOGINS_ACCOUNT',
];
/** Retention in days (docs/operations.md, "What is removed by itself"). */
const KEPT = [
  'KEEP_IDEMPOTENCY_KEYS',
  'KEEP_THROTTLES',
  'KEEP_CHALLENGES',
  'KEEP_LINKS',
  'KEEP_SIGN_INS',
  'KEEP_SESSIONS',
  'KEEP_ENDED_SESSIONS',
  'KEEP_DELIVERIES',
  'KEEP_AGENCY_EVENTS',
  'KEEP_REPORTS',
];
/** How operators observe and stop a process (METRIC-1, PROCESS-1). */
const WATCHED = ['INTERNAL_HOST', 'METRICS_TOKEN', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_HEADERS'];
/** The additional settings of processes that answer requests. */
const SERVING = [...WATCHED, 'DRAIN_SECONDS', 'ACCESS_LOG'];
/** Rejected in production, in every process (SETTING-1). */
export const DEVELOPMENT_ONLY = ['MAILPIT_URL', 'DEMO_SEED', 'DEMO_PEOPLE', 'TEST_CLOCK'];

/**
 * The settings that each process reads (SETTING-4). `npm start` passes each process only its own, and tests run without any.
 * @type {Readonly<Record<ProcessName, readonly string[]>>}
 */
export const SETTINGS = {
  web: [
    ...EVERYBODY,
    ...BRAND,
    ...WEB,
    ...API,
    'ADMIN_URL',
    'DEMO_PEOPLE',
    'API_INTERNAL_URL',
    'AUTH_SECRET',
    'AUTH_SECRET_PREVIOUS',
    'TRUST_PROXY',
    'FORWARDING_SECRET',
    ...STORE_PLACE,
    'WEB_INTERNAL_PORT',
    ...SERVING,
  ],
  api: [
    ...EVERYBODY,
    ...BRAND,
    ...DATABASE,
    REPLICA,
    REDIS,
    ...STORE,
    ...WEB,
    ...API,
    ...ADMIN,
    ...PUSH,
    'TRUST_PROXY',
    ...LIMITS,
    'LIMIT_RESETS_ADDRESS',
    'LIMIT_PROOF_CODES',
    'JWT_SECRET',
    'JWT_SECRET_PREVIOUS',
    'ENCRYPTION_KEY',
    'MASTER_API_KEY',
    'FORWARDING_SECRET',
    'ENCRYPTION_KEY_PREVIOUS',
    'MASTER_API_KEY_PREVIOUS',
    'ACCESS_TOKEN_TTL',
    'REFRESH_TOKEN_TTL',
    'SENDGRID_WEBHOOK_PUBLIC_KEY',
    'TWILIO_AUTH_TOKEN',
    'API_INTERNAL_PORT',
    ...SERVING,
  ],
  admin: [
    ...EVERYBODY,
    ...BRAND,
    ...DATABASE,
    REPLICA,
    REDIS,
    ...STORE,
    ...WEB,
    ...ADMIN,
    'DEMO_PEOPLE',
    'TRUST_PROXY',
    ...LIMITS,
    'ENCRYPTION_KEY',
    'ENCRYPTION_KEY_PREVIOUS',
    'SESSION_IDLE_TTL',
    'STRICT_PAGE_GUARD',
    'ADMIN_INTERNAL_PORT',
    ...SERVING,
  ],
  worker: [
    ...EVERYBODY,
    ...BRAND,
    ...DATABASE,
    REDIS,
    ...STORE,
    ...WEB,
    ...API,
    ...ADMIN,
    ...PUSH,
    'API_INTERNAL_URL',
    'MASTER_API_KEY',
    'FORWARDING_SECRET',
    'LIMIT_MAILS',
    'EMAIL_PROVIDER',
    'EMAIL_FROM',
    'MAILPIT_URL',
    'SENDGRID_API_KEY',
    'SENDGRID_BASE_URL',
    'SENDGRID_TEMPLATES',
    'TWILIO_ACCOUNT_SID',
    'TWILIO_AUTH_TOKEN',
    'TWILIO_FROM',
    'TWILIO_BASE_URL',
    ...KEPT,
    'WORKER_INTERNAL_PORT',
    ...WATCHED,
  ],
  storage: [...EVERYBODY, ...STORE, ...WEB, ...ADMIN],
  prepare: [...EVERYBODY, ...DATABASE, 'MIGRATION_DATABASE_URL', ...ROLES, ...STORE, 'ENCRYPTION_KEY'],
  'create-admin': [...EVERYBODY, ...DATABASE, ...WEB, ...ADMIN],
  backup: [...EVERYBODY, ...DATABASE, 'MIGRATION_DATABASE_URL', ...STORE],
  'erase-person': [...EVERYBODY, ...DATABASE, 'MIGRATION_DATABASE_URL'],
  'rotate-encryption': [...EVERYBODY, ...DATABASE, 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'],
  'export-person': [...EVERYBODY, ...DATABASE, REPLICA, ...STORE, 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'],
  restore: [...EVERYBODY, ...DATABASE, 'MIGRATION_DATABASE_URL', ...STORE],
};

/**
 * Settings that nothing reads anymore, or that the web frontend sets for itself. They must not reach tests from a person's shell.
 */
const OTHERS = ['SESSION_SECRET', 'NEXTAUTH_URL', 'NEXTAUTH_SECRET', 'NEXTAUTH_SECRET_PREVIOUS'];

/**
 * @param {ProcessName} process
 * @param {string} name without `_FILE`
 */
export function isReadBy(process, name) {
  return SETTINGS[process].includes(name);
}

/**
 * True for a setting of the platform, by itself or as `NAME_FILE`.
 * @param {string} variable
 */
export function isSetting(variable) {
  const name = variable.replace(/_FILE$/, '');
  return [...Object.values(SETTINGS).flat(), ...DEVELOPMENT_ONLY, ...OTHERS].includes(name);
}

/**
 * The environment of one process: without the settings of others, and with the address of its own database role, if it has one.
 * Settings that are for development only stay, so that they can be rejected by name.
 * @param {ProcessName} process
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf(process, environment) {
  const own = [...SETTINGS[process], ...DEVELOPMENT_ONLY];
  const role = `${process.toUpperCase()}_DATABASE_URL`;
  const hasRole = ROLES.includes(role) && Boolean(environment[role] || environment[`${role}_FILE`]);
  const entries = Object.entries(environment).flatMap(([variable, value]) => {
    const name = variable.replace(/_FILE$/, '');
    if (hasRole && name === role) return [[variable.slice(role.length - 'DATABASE_URL'.length), value]];
    if (hasRole && [...DATABASE, REPLICA].includes(name)) return [];
    return !isSetting(variable) || own.includes(name) ? [[variable, value]] : [];
  });
  return /** @type {NodeJS.ProcessEnv} */ (Object.fromEntries(entries));
}
