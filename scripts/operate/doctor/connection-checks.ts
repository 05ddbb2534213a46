import type { Config } from '@case-platform/lib/config';
import { parseDatabaseAddress } from '@case-platform/lib/database/database-address';
import { LISTENING, POOL_SIZES } from '@case-platform/lib/database/pool-sizes';
import type pg from 'pg';
import { type Finding, fail, ok, warn } from './finding.ts';

const KINDS = ['api', 'admin', 'worker'] as const;
type Kind = (typeof KINDS)[number];

/** The figures that are compared. */
export interface ConnectionFacts {
  /** How many processes of each kind there are. */
  processes: Record<Kind, number>;
  /** The database role of each kind. */
  roles: Record<Kind, string>;
  isPooled: boolean;
  maxConnections: number;
  /** Connections that the server keeps for superusers and for `pg_use_reserved_connections`. */
  reserved: number;
  /** Connections that other programs have now, to any database of the server. */
  others: number;
  database: string;
  /** The limits of the database and of the roles; no limit is -1. */
  databaseLimit: number;
  roleLimits: Record<string, number>;
}

/**
 * Compares what all processes may open with what the server, the database, and each role allow.
 * @param processes the number of processes of each kind; more are counted if more are connected.
 */
export async function checkConnections(config: Config, pool: pg.Pool, processes: number): Promise<Finding[]> {
  const roles = rolesOf(config);
  const { rows } = await pool.query(
    `select current_setting('max_connections')::int as "maxConnections",
            current_setting('superuser_reserved_connections')::int
              + coalesce(current_setting('reserved_connections', true)::int, 0) as reserved,
            (select count(*)::int from pg_stat_activity
              where datid is not null and usesysid is not null
                and not (datname = current_database() and (application_name = any($1) or application_name like 'listen %'))) as others,
            (select coalesce(jsonb_object_agg(usename, listening), '{}')
               from (select usename, count(*) as listening from pg_stat_activity
                      where datname = current_database() and application_name like 'listen %' group by usename) l) as listening,
            datname as database, datconnlimit as "databaseLimit",
            (select coalesce(jsonb_object_agg(rolname, rolconnlimit), '{}') from pg_roles
              where rolname = any($2) and not rolsuper) as "roleLimits"
       from pg_database where datname = current_database()`,
    [[...KINDS, 'doctor', 'route'], Object.values(roles)],
  );
  const { listening, ...facts } = rows[0];
  const connected = countConnected(roles, listening);
  const counts = KINDS.map((kind) => [kind, Math.max(processes, connected[kind])]);
  return compareConnections({ ...facts, roles, isPooled: config.isPooled, processes: Object.fromEntries(counts) });
}

function rolesOf({ roleUrls, databaseDirectUrl }: Config): Record<Kind, string> {
  const roleOf = (kind: Kind) => parseDatabaseAddress(roleUrls[kind] ?? databaseDirectUrl).user ?? '';
  return { api: roleOf('api'), admin: roleOf('admin'), worker: roleOf('worker') };
}

/** Counts the processes that listen now. With a shared role, half of those are of each kind. A worker does not show its number. */
function countConnected(roles: Record<Kind, string>, listening: Record<string, number>): Record<Kind, number> {
  const share = roles.api === roles.admin ? LISTENING.api + LISTENING.admin : 1;
  const countOf = (kind: Kind) => Math.ceil((listening[roles[kind]] ?? 0) / share);
  return { api: countOf('api'), admin: countOf('admin'), worker: 0 };
}

/** A number of connections that may not be exceeded. */
interface Limit {
  /** A clause that says how many there are. */
  clause: string;
  max: number;
  kinds: readonly Kind[];
  /** The instruction, for the number of connections that are needed. */
  advice: (needed: number) => string;
}

/** @returns one finding for each limit that is too low, or one that says that all are high enough. */
export function compareConnections(facts: ConnectionFacts): Finding[] {
  const limits = [serverLimit(facts), ...databaseLimits(facts), ...roleLimits(facts)];
  const findings = limits.flatMap((limit) => compareWithLimit(facts, limit));
  if (findings.length > 0) return findings;
  const { opening } = count(facts, KINDS);
  return [ok('connections', `${opening}, and ${serverLimit(facts).clause}.${sizeOfPooler(facts)}`)];
}

/** Those that bypass a pooler; the pooler opens its own, in the roles of the processes behind it. */
function count({ processes, isPooled }: ConnectionFacts, kinds: readonly Kind[]) {
  const perProcess = (kind: Kind) => LISTENING[kind] + (isPooled && kind !== 'worker' ? 0 : POOL_SIZES[kind]);
  const sum = (more: number) => kinds.reduce((total, kind) => total + (processes[kind] + more) * perProcess(kind), 0);
  const names = { api: 'API', admin: 'staff', worker: 'worker' };
  const list = kinds.map((kind) => `${processes[kind]} ${names[kind]}`).join(', ');
  const [wanted, whileReplaced] = [sum(0), sum(1)];
  return { wanted, whileReplaced, opening: `The processes (${list}) may open ${wanted} connections` };
}

function serverLimit({ maxConnections, reserved, others, isPooled, roles }: ConnectionFacts): Limit {
  const accepted = maxConnections - reserved;
  const used = others === 0 ? '' : `, of which other programs use ${others}`;
  const pooler = isPooled ? new Set([roles.api, roles.admin]).size : 0;
  const orPool = isPooled ? '' : ', or use a pooler (DATABASE_DIRECT_URL)';
  return {
    clause: `the server accepts ${accepted}${used}`,
    max: accepted - others - pooler,
    kinds: KINDS,
    advice: (needed) => `Set max_connections to ${needed + others + reserved + pooler} or more and restart PostgreSQL${orPool}.`,
  };
}

function databaseLimits({ database, databaseLimit }: ConnectionFacts): Limit[] {
  if (databaseLimit < 0) return [];
  const advice = (needed: number) => `Run \`alter database "${database}" connection limit ${needed}\`, or more.`;
  return [{ clause: `the database accepts ${databaseLimit}`, max: databaseLimit, kinds: KINDS, advice }];
}

function roleLimits({ roles, roleLimits: limits }: ConnectionFacts): Limit[] {
  return [...new Set(Object.values(roles))].flatMap((role) => {
    const max = limits[role] ?? -1;
    const kinds = KINDS.filter((kind) => roles[kind] === role);
    const advice = (needed: number) => `Run \`alter role "${role}" connection limit ${needed}\`, or more.`;
    return max < 0 ? [] : [{ clause: `the role ${role} accepts ${max}`, max, kinds, advice }];
  });
}

/** While processes are replaced, one more of each kind may run. */
function compareWithLimit(facts: ConnectionFacts, { clause, max, kinds, advice }: Limit): Finding[] {
  const { wanted, whileReplaced, opening } = count(facts, kinds);
  if (wanted > max) return [fail('connections', `${opening}, but ${clause}.`, advice(whileReplaced))];
  if (whileReplaced <= max) return [];
  const more = `one more of each, while they are replaced, needs ${whileReplaced}`;
  return [warn('connections', `${opening}, and ${clause}; ${more}.`, advice(whileReplaced))];
}

/** Only the pooler's console says how many connections it may open, so this says how many it can. */
function sizeOfPooler(facts: ConnectionFacts): string {
  if (!facts.isPooled) return '';
  const left = facts.maxConnections - facts.reserved - facts.others - count(facts, KINDS).whileReplaced;
  const roles = new Set([facts.roles.api, facts.roles.admin]).size;
  return ` The pooler can open ${left} more, so its default_pool_size can be ${Math.floor(left / roles)} for each role.`;
}
