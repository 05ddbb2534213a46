import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

export interface DatabaseHost {
  host: string;
  port: number;
}

export interface DatabaseAddress {
  hosts: readonly DatabaseHost[];
  /** True if only a writable host is accepted: several are named, or `target_session_attrs` requires it. */
  writableOnly: boolean;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: ConnectionOptions | false | undefined;
  /** Start-up options from the address. */
  options: string | undefined;
}

const SCHEME = /^postgres(ql)?:\/\//;
const DEFAULT_PORT = 5432;
/** The meanings are libpq's. The platform always writes, so a read-only host is useless to it. */
const TARGETS = ['any', 'read-write', 'primary'];

/**
 * Parses a PostgreSQL address as libpq does: several hosts, `target_session_attrs`, and TLS by `sslmode`, `sslrootcert`,
 * `sslcert`, and `sslkey` (DATABASE-1). Unknown parameters are ignored.
 * @throws {Error} with the problem in words that follow the setting's name, and never with a part of the address.
 */
export function parseDatabaseAddress(address: string): DatabaseAddress {
  if (!SCHEME.test(address)) throw new Error('must begin with postgres:// or postgresql://.');
  const [, userInfo, hostList = '', path = '', query = ''] =
    /^(?:(.*)@)?([^@/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(address.replace(SCHEME, '')) ?? [];
  const [user, password] = userInfo?.split(/:(.*)/s, 2) ?? [];
  const parameters = new URLSearchParams(query);
  const hosts = parseHosts(hostList, parameters);
  const target = parameters.get('target_session_attrs') ?? 'any';
  if (!TARGETS.includes(target)) throw new Error('must have target_session_attrs=read-write, primary, or any.');
  return {
    hosts,
    writableOnly: hosts.length > 1 || target !== 'any',
    user: decode(user) ?? parameters.get('user') ?? undefined,
    password: decode(password) ?? parameters.get('password') ?? undefined,
    database: decode(path) || (parameters.get('dbname') ?? undefined),
    ssl: parseTls(parameters),
    options: parameters.get('options') ?? undefined,
  };
}

/** `a:1,b:2`, `[::1]:5432`, `%2Frun%2Fpostgresql`, or `?host=a,b&port=1,2`. */
function parseHosts(list: string, parameters: URLSearchParams): DatabaseHost[] {
  const ports = parameters.get('port')?.split(',') ?? [];
  const names = list === '' ? (parameters.get('host') ?? 'localhost').split(',') : list.split(',');
  return names.map((name, at) => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/.exec(name) ?? [];
    const number = Number(port ?? ports[at] ?? ports[0] ?? DEFAULT_PORT);
    const host = bracketed ?? decode(plain);
    if (host === undefined || host === '') throw new Error('names an invalid host.');
    if (!Number.isInteger(number) || number < 1 || number > 65_535) throw new Error('names an invalid port.');
    return { host, port: number };
  });
}

/** The meanings are libpq's: `require` encrypts, `verify-ca` also verifies the issuer, and `verify-full` also the host name. */
function parseTls(parameters: URLSearchParams): ConnectionOptions | false | undefined {
  const mode = parameters.get('sslmode') ?? undefined;
  const root = parameters.get('sslrootcert') ?? undefined;
  if (mode === 'disable') return false;
  if (mode === undefined) {
    if (root !== undefined) throw new Error('has sslrootcert without sslmode=verify-full.');
    return undefined;
  }
  if (!['require', 'verify-ca', 'verify-full'].includes(mode)) {
    throw new Error('must have an sslmode of disable, require, verify-ca or verify-full.');
  }
  const isSystem = root === 'system';
  if (mode === 'verify-ca' && (root === undefined || isSystem)) throw new Error('has sslmode=verify-ca without sslrootcert.');
  const certificates = {
    ...(root === undefined || isSystem ? {} : { ca: readPem('sslrootcert', root) }),
    ...readOptional('cert', 'sslcert', parameters),
    ...readOptional('key', 'sslkey', parameters),
  };
  if (mode === 'verify-full' || isSystem) return certificates;
  if (root !== undefined) return { ...certificates, checkServerIdentity: () => undefined };
  return { ...certificates, rejectUnauthorized: false };
}

function readOptional(option: 'cert' | 'key', name: string, parameters: URLSearchParams) {
  const path = parameters.get(name);
  return path === null ? {} : { [option]: readPem(name, path) };
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Error(`names an ${name} that cannot be read.`);
  }
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('holds a % that is not followed by two hexadecimal digits.');
  }
}
