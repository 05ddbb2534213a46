import { isEmail } from '../text/email-address.ts';
import { KEY_PAIR, SECRETS, STORE_KEYS } from './development-secrets.ts';
import type { Reader } from './read-settings.ts';
import { DEVELOPMENT_ONLY, isReadBy, type ProcessName } from './settings-of-processes.mjs';

const SECRET_MIN_BYTES = 32;
const WELL_KNOWN = /change.?me|secret|password|example|default|^(.)\1+$|0123456789|demo-/i;
/**
 * Keys that object stores ship with or show in their documentation. A random key may contain any four letters (about one in ten
 * thousand does), so these count only where a word begins or ends.
 */
const WELL_KNOWN_STORE_KEY =
  /minio|admin|example|secret|password|access.?key|change.?me|(?<![a-z\d])demo|demo(?![a-z\d])|^test|^(.)\1*$/i;

const REQUIRED = ['DATABASE_URL', ...KEY_PAIR, 'VAPID_SUBJECT'];
/** For processes that store files; the web frontend only says where files may come from. */
const REQUIRED_FOR_FILES: readonly string[] = [...STORE_KEYS, 'S3_ENDPOINT'];
/** Addresses that a browser opens or that receive a secret. API_INTERNAL_URL, which our own processes call, may be plain http. */
const ENCRYPTED = ['WEB_URL', 'API_URL', 'ADMIN_URL', 'S3_ENDPOINT', 'STORAGE_URL', 'SENDGRID_BASE_URL', 'TWILIO_BASE_URL'];
const PUBLIC = ['WEB_URL', 'API_URL', 'ADMIN_URL'];

/**
 * Preparing needs files and keys only for the demo, which production does not have. The web frontend only links to the staff
 * application.
 */
function isRequiredBy(process: ProcessName, name: string): boolean {
  if (process === 'prepare') return name === 'DATABASE_URL';
  return process !== 'web' || !(REQUIRED_FOR_FILES.includes(name) || name === 'ADMIN_URL');
}

/** Lists everything that production rejects about these settings (SETTING-1, SETTING-2). */
export function productionProblems(read: Reader, processes: readonly ProcessName[]): string[] {
  const isNeeded = (name: string) => processes.some((one) => isReadBy(one, name) && isRequiredBy(one, name));
  const settings = [...REQUIRED, ...REQUIRED_FOR_FILES].filter(isNeeded);
  return [
    ...secretProblems(read, isNeeded),
    ...settings.filter((name) => read.optional(name) === undefined).map((name) => `${name} is not set.`),
    ...STORE_KEYS.filter((name) => WELL_KNOWN_STORE_KEY.test(read.optional(name) ?? '')).map(
      (name) => `${name} is a well-known value.`,
    ),
    ...[...ENCRYPTED, ...tracingWithKey(read)]
      .filter((name) => isPlain(read, name, isNeeded))
      .map((name) => `${name} must be an https address.`),
    ...DEVELOPMENT_ONLY.filter((name) => read.optional(name) !== undefined).map((name) => `${name} is for development only.`),
    ...(isContact(read.optional('VAPID_SUBJECT') ?? 'mailto:unset@unset.test')
      ? []
      : ['VAPID_SUBJECT must be https://… or mailto:name@domain at a public host; Apple rejects others for good.']),
    ...mailProblems(read),
    ...(read.isOurs('TRUST_PROXY') && read.optional('TRUST_PROXY') === undefined
      ? ['TRUST_PROXY is not set: name the proxies in front, or set it to none.']
      : []),
  ];
}

const OPTIONAL_SECRETS: readonly string[] = [
  ...['JWT_SECRET', 'AUTH_SECRET', 'ENCRYPTION_KEY', 'MASTER_API_KEY'].map((name) => `${name}_PREVIOUS`),
  'FORWARDING_SECRET',
  'METRICS_TOKEN',
];

/** A previous secret still decrypts what was encrypted with it, so it may not be weaker than a current one (SETTING-2). */
function secretProblems(read: Reader, isNeeded: (name: string) => boolean): string[] {
  const problems: string[] = [];
  const namesByValue = new Map<string, string>();
  for (const name of [...SECRETS, ...OPTIONAL_SECRETS]) {
    const value = read.optional(name);
    if (value === undefined) {
      if (isNeeded(name) && !OPTIONAL_SECRETS.includes(name)) problems.push(`${name} is not set.`);
    } else if (Buffer.byteLength(value) < SECRET_MIN_BYTES) problems.push(`${name} is shorter than 32 bytes.`);
    else if (WELL_KNOWN.test(value)) problems.push(`${name} is a well-known or guessable value.`);
    else if (namesByValue.has(value)) problems.push(`${name} is the same as ${namesByValue.get(value)}.`);
    else namesByValue.set(value, name);
  }
  return problems;
}

/** Traces may go to a collector in the same network by plain http, unless they carry a key. */
function tracingWithKey(read: Reader): string[] {
  return read.optional('OTEL_EXPORTER_OTLP_HEADERS') === undefined ? [] : ['OTEL_EXPORTER_OTLP_ENDPOINT'];
}

function isPlain(read: Reader, name: string, isNeeded: (name: string) => boolean): boolean {
  const value = read.optional(name) ?? (PUBLIC.includes(name) && isNeeded(name) ? 'http://unset' : 'https://unset');
  return !/^https:/i.test(value);
}

/** Mail is sent with SendGrid, or explicitly not at all. */
function mailProblems(read: Reader): string[] {
  if (!read.isOurs('SENDGRID_API_KEY')) return [];
  const isSet = (name: string) => read.optional(name) !== undefined;
  const goesNowhere = read.optional('EMAIL_PROVIDER') === 'none';
  if (goesNowhere) return isSet('SENDGRID_API_KEY') ? ['EMAIL_PROVIDER is none, but SENDGRID_API_KEY is set.'] : [];
  return [
    ...(isSet('SENDGRID_API_KEY') ? [] : ['SENDGRID_API_KEY is not set: without mail, EMAIL_PROVIDER must be none.']),
    ...(isSender(read.optional('EMAIL_FROM')) ? [] : ['EMAIL_FROM must be an address, alone or as Name <name@domain>.']),
  ];
}

function isSender(text = ''): boolean {
  return isPublicAddress(/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text);
}

/** Whether push services accept this as the contact of an application server (RFC 8292, section 2.1; PUSH-7). */
export function isContact(text: string): boolean {
  if (text.startsWith('mailto:')) return isPublicAddress(text.slice('mailto:'.length));
  return text.startsWith('https:') && URL.canParse(text) && isPublicHost(new URL(text).hostname);
}

function isPublicAddress(address: string): boolean {
  return isEmail(address) && isPublicHost(address.slice(address.lastIndexOf('@') + 1));
}

function isPublicHost(host: string): boolean {
  return host.includes('.') && !/(^|\.)(localhost|local|internal)$/i.test(host);
}
