import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';

export interface DatabaseHost {
  host: string;
  port: number;
}

/** Where a database is, as one address says it. */
export interface DatabaseAddress {
  hosts: readonly DatabaseHost[];
  /** Only a host that can be written is taken: several are named, or `target_session_attrs` asks for it. */
  writableOnly: boolean;
  user: string | undefined;
  password: string | undefined;
  database: string | undefined;
  ssl: ConnectionOptions | false | undefined;
  /** Start-up options of the address's own. */
  options: string | undefined;
}

const SCHEME = /^postgres(ql)?:\/\//;
const DEFAULT_PORT = 5432;
/** As libpq means them. The platform writes everywhere: a host that can only be read is of no use to it. */
const TARGETS = ['any', 'read-write', 'primary'];

/**
 * Reads a PostgreSQL address as libpq does: several hosts, `target_session_attrs`, TLS by `sslmode`, `sslrootcert`, `sslcert`
 * and `sslkey` (DATABASE-1). Whatever else stands behind the `?` is ignored.
 * @throws {Error} with what is wrong, in words that follow the setting's name; never with a part of the address.
 */
export function parseDatabaseAddress(address: string): DatabaseAddress {
  if (!SCHEME.test(address)) throw new Error('must begin with postgres:// or postgresql://.');
  const [, userInfo, hostList = '', path = '', query = ''] =
    /^(?:(.*)@)?([^@/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(address.replace(SCHEME, '')) ?? [];
  const [user, password] = userInfo?.split(/:(.*)/s, 2) ?? [];
  const parameters = new URLSearchParams(query);
  const hosts = parseHosts(hostList, parameters);
  const target = parameters.get('target_session_attrs') ?? 'any';
  if (!TARGETS.includes(target)) throw new Error('must ask for target_session_attrs=read-write, or for none.');
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
    if (host === undefined || host === '') throw new Error('names a host that is none.');
    if (!Number.isInteger(number) || number < 1 || number > 65_535) throw new Error('names a port that is none.');
    return { host, port: number };
  });
}

/** The meanings are libpq's: `require` encrypts, `verify-ca` checks who signed, `verify-full` also for which host. */
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
  if (mode === 'verify-ca' && (root === undefined || isSystem))
    throw new Error('has sslmode=verify-ca without sslrootcert.');
  const given = {
    ...(root === undefined || isSystem ? {} : { ca: readPem('sslrootcert', root) }),
    ...readOptional('cert', 'sslcert', parameters),
    ...readOptional('key', 'sslkey', parameters),
  };
  if (mode === 'verify-full' || isSystem) return given;
  if (root !== undefined) return { ...given, checkServerIdentity: () => undefined };
  return { ...given, rejectUnauthorized: false };
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
