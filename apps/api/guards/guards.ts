import { createHash, timingSafeEqual } from 'node:crypto';
import type { Database, Executor } from '@case-platform/lib/database';
import { ForbiddenError, UnauthenticatedError } from '@case-platform/lib/errors';
import { defineGuard, type Guard } from '@case-platform/lib/guards';
import { noteOfRequest } from '@case-platform/lib/http/note-of-request';
import { noteLimitUse } from '@case-platform/lib/http/rate-limit-headers';
import { sql } from '@case-platform/lib/sql';
import {
  type Agency,
  type CallLimits,
  findAgencyByKey,
  findTokenHolder,
  type Permission,
  type Reader,
  type TokenClaims,
  type TokenHolder,
  type TokenKeys,
  type User,
  verifyToken,
} from '@case-platform/modules/accounts';
import type { UserType } from '@case-platform/words/user-types';
import type { FastifyRequest } from 'fastify';

export type Guards = ReturnType<typeof createGuards>;

interface GuardContext {
  db: Database;
  tokenKeys: TokenKeys;
  masterApiKey: string;
  masterApiKeyPrevious?: string | undefined;
  callLimits: Pick<CallLimits, 'count'>;
  /** Origins of our own pages: the cookie counts only for their requests (TOKEN-8). */
  origins: readonly string[];
  now: () => Date;
}

type PermCheck = readonly [Permission, ...Permission[]];

interface UserRule {
  user_types?: readonly UserType[];
  /** An admin needs one of these permissions. Other users need none. */
  perm_check?: PermCheck;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
const KEY_MAX = 200;
/** The lookup of a caller that the guard of a reader has begun. */
const holders = noteOfRequest<Promise<TokenHolder>>('whose token it has');

/** The guards of the JSON API. Only the access token of an active user passes `user()`. */
export function createGuards({ db, tokenKeys, callLimits, origins, now, ...keys }: GuardContext) {
  const masterHashes = [keys.masterApiKey, keys.masterApiKeyPrevious].filter((key) => key !== undefined).map(sha256);

  /** Verifies the token of a call, begins to look up whose it is, and counts the call. */
  async function beginCall(
    request: FastifyRequest,
    executor: Executor,
  ): Promise<{ claims: TokenClaims; holder: Promise<TokenHolder> }> {
    const claims = await verifyToken(tokenKeys, 'access', readToken(request, origins), now());
    const holder = findTokenHolder(executor, claims, webSessionOf(request));
    // It may fail before anything awaits it.
    holder.catch(() => {});
    noteLimitUse(request, await callLimits.count('calls_person', `user:${claims.user_id}`));
    return { claims, holder };
  }

  /**
   * A signed-in user, of one of these types if any are named (GUARD-10). An admin also needs one of the permissions, which are
   * looked up for each call: the API has no permissions of its own (LAYER-5).
   * 401 without a valid access token, 403 for another type or without permission.
   */
  function user(rule: UserRule = {}): Guard<User> {
    return defineGuard(nameOf(rule), async (request) => {
      const { holder } = await beginCall(request, db);
      return requireRule(rule, await holder);
    });
  }

  /**
   * As `user`, for a route that only reads: it reads through the given `db` while the account is looked up, so that both take one
   * round trip (SCALE-6). What it has read is sent only to someone whom `user` would have let in.
   */
  function reader(rule: UserRule = {}): Guard<{ reader: Reader; db: Executor }> {
    const guard = defineGuard(nameOf(rule), async (request) => {
      const pipeline = db.pipeline();
      const { holder, claims } = await beginCall(request, pipeline);
      holders.write(request, holder);
      const agency_id = sql`(select agency_id from user_account where id = ${claims.user_id})`;
      return { reader: { id: claims.user_id, user_type: claims.user_type, agency_id }, db: pipeline };
    });
    const confirm = async (request: FastifyRequest) => {
      const holder = await holders.of(request);
      if (holder !== undefined) requireRule(rule, holder);
    };
    return { ...guard, confirm };
  }

  /** An agency, by its key in `X-API-Key` (KEY-1). 401 without an active one (KEY-2). */
  function agencyKey(): Guard<Agency> {
    return defineGuard('agencyKey()', async (request) => {
      const key = readKey(request, 'x-api-key');
      const agency = key === null ? null : await findAgencyByKey(db, key);
      if (agency === null) throw new UnauthenticatedError('A valid X-API-Key is needed.');
      noteLimitUse(request, await callLimits.count('calls_person', `agency:${agency.id}`));
      return agency;
    });
  }

  /** The platform's own triggers, by the key in `X-Master-API-Key` (KEY-8). 401 without it. */
  function masterKey(): Guard<true> {
    return defineGuard('masterKey()', (request) => {
      const key = readKey(request, 'x-master-api-key');
      const keyHash = key === null ? null : sha256(key);
      if (keyHash === null || !masterHashes.some((hash) => timingSafeEqual(keyHash, hash))) {
        throw new UnauthenticatedError('A valid X-Master-API-Key is needed.');
      }
      return true;
    });
  }

  return { user, reader, agencyKey, masterKey };
}

function nameOf({ user_types, perm_check }: UserRule): string {
  const rules = [user_types?.join(' '), perm_check && `admins with ${perm_check.join(' ')}`];
  return `user(${rules.filter((part) => part !== undefined).join(', ')})`;
}

/** @throws {ForbiddenError} for another type of user, and for an admin without one of the permissions. */
function requireRule({ user_types, perm_check }: UserRule, { user, permissions }: TokenHolder): User {
  if (user_types !== undefined && !user_types.includes(user.user_type)) throw new ForbiddenError();
  if (perm_check !== undefined && user.user_type === 'admin' && !perm_check.some((one) => permissions.has(one))) {
    throw new ForbiddenError('Your role doesn’t allow this.', 'missing_permission');
  }
  return user;
}

/** The web session that a call belongs to; null for every other client. */
export function webSessionOf({ headers }: FastifyRequest): string | null {
  const id = headers['x-web-session'];
  return typeof id === 'string' && id !== '' ? id : null;
}

function readKey({ headers }: FastifyRequest, name: 'x-api-key' | 'x-master-api-key'): string | null {
  const key = headers[name];
  return typeof key === 'string' && key !== '' && key.length <= KEY_MAX ? key : null;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The Bearer header comes first: a bad one is a 401 even beside a good cookie (TOKEN-1). */
function readToken(request: FastifyRequest, origins: readonly string[]): string {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const bearer = /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (bearer === undefined) throw new UnauthenticatedError();
    return bearer;
  }
  const cookie = request.cookies.api_token;
  if (cookie === undefined || cookie === '') throw new UnauthenticatedError();
  requireOwnOrigin(request, origins);
  return cookie;
}

/** When the access token of this request expires, in milliseconds. The guard has verified it. */
export function tokenEndsAt(request: FastifyRequest): number {
  return claimsOf(request).exp * 1000;
}

/** When the holder of the request's token signed in. The guard has verified it. */
export function signedInAt(request: FastifyRequest): Date {
  return new Date(claimsOf(request).auth_time * 1000);
}

function claimsOf({ headers, cookies }: FastifyRequest): { exp: number; auth_time: number } {
  const token = headers.authorization?.split(/ +/)[1] ?? cookies.api_token ?? '';
  const [, claims = ''] = token.split('.');
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

/**
 * Browsers send the cookie with requests from any page: with only the cookie, only our own pages may change anything (TOKEN-8).
 */
function requireOwnOrigin({ method, headers }: FastifyRequest, origins: readonly string[]): void {
  if (SAFE_METHODS.has(method)) return;
  const foreign = headers['sec-fetch-site'] === 'cross-site';
  if (foreign || (headers.origin !== undefined && !origins.includes(headers.origin))) {
    throw new ForbiddenError('This request didn’t come from one of our pages.', 'cross_site_request');
  }
}
