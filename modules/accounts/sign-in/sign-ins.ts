import { isIP } from 'node:net';
import type { Executor } from '@case-platform/lib/database';
import { networkOf } from '@case-platform/lib/http/network';
import { parseLocale, runForReader } from '@case-platform/lib/reader-locale';
import { limitTo, query, sql } from '@case-platform/lib/sql';

/** The source of a request, for throttling and for the list of sign-ins. */
export interface Visitor {
  ip: string;
  user_agent: string;
  /** The header `Accept-Language`. */
  accept_language?: string | undefined;
}

export type Layer = 'api' | 'admin';

/** A completed sign-in, as shown to its owner (SIGN-IN-11). */
export interface SignInRecord {
  id: number;
  layer: Layer;
  ip_address: string | null;
  user_agent: string;
  signed_in_at: Date;
}

const USER_AGENT_MAX = 400;

export async function recordSignIn(db: Executor, userId: number, layer: Layer, visitor: Visitor, now: Date): Promise<void> {
  await query(
    db,
    sql`insert into sign_in (user_id, layer, ip_address, user_agent, locale, signed_in_at)
        values (${userId}, ${layer}, ${isIP(visitor.ip) === 0 ? null : visitor.ip},
                ${visitor.user_agent.slice(0, USER_AGENT_MAX)}, ${parseLocale(visitor.accept_language)}, ${now})`,
  );
}

/** Runs work that writes to a person, in the locale of their last sign-in (LOCALE-2). */
export async function runForRecipient<Result>(db: Executor, userId: number, work: () => Promise<Result>): Promise<Result> {
  const [last] = await query<{ locale: string }>(db, sql`select locale from last_sign_in where user_id = ${userId}`);
  return runForReader({ locale: last?.locale ?? parseLocale(undefined), isShown: true }, work);
}

const KNOWN_DAYS = 90;

/**
 * True if the account signed in from this address during the last 90 days, or followed a mailed link there, which lets the owner
 * in from a new place while someone guesses the password (SIGN-IN-6).
 */
export async function isKnownAddress(db: Executor, userId: number, ip: string, now: Date): Promise<boolean> {
  if (isIP(ip) === 0) return false;
  const since = new Date(now.getTime() - KNOWN_DAYS * 86_400_000);
  const visits = await query(
    db,
    sql`select from sign_in where user_id = ${userId} and ip_address <<= ${networkOf(ip)}::inet
           and signed_in_at > ${since}
         union all
        select from password_reset where user_id = ${userId} and used_from <<= ${networkOf(ip)}::inet
           and used_at > ${since}
         limit 1`,
  );
  return visits.length > 0;
}

export async function listSignIns(db: Executor, userId: number, limit = 10): Promise<SignInRecord[]> {
  return query<SignInRecord>(
    db,
    sql`select id, layer, host(ip_address) as ip_address, user_agent, signed_in_at
          from sign_in where user_id = ${userId} order by id desc ${limitTo(limit)}`,
  );
}
