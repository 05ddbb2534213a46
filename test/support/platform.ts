import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Config } from '@case-platform/lib/config';
import { createDatabase } from '@case-platform/lib/database';
import { databaseIsReady, queueIsReady } from '@case-platform/lib/database/readiness-checks';
import { type ReadLagging, readPrimary } from '@case-platform/lib/database/replica-reads';
import { type GuardedRoute, listen } from '@case-platform/lib/http-server';
import { createLog } from '@case-platform/lib/log';
import { startPublisher } from '@case-platform/lib/outbox/publisher';
import { createReadiness } from '@case-platform/lib/process/readiness';
import { query, sql } from '@case-platform/lib/sql';
import {
  createCallLimits,
  createThrottle,
  createTokenKeys,
  issueTokens,
  type TokenKeys,
  type User,
} from '@case-platform/modules/accounts';
import { addAudiences, LiveUpdates } from '@case-platform/modules/live';
import { requireBucket, type Storage } from '@case-platform/modules/storage';
import { fromApiUserType } from '@case-platform/words/user-types';
import type { ApiContext } from '../../apps/api/api-context.ts';
import { ERROR_CODES } from '../../apps/api/docs/error-codes.ts';
import { createApiServer } from '../../apps/api/server.ts';
import { workUntilIdle } from '../../apps/worker/run-worker.ts';
import type { WorkerContext } from '../../apps/worker/tasks.ts';
import { CAST, type CastName, everyoneBy, type OpensSessions, peopleBy } from './cast.ts';
import { createTestDatabase, PATIENCE_MS, TEST_SECRETS, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { openStorage } from './storage.ts';
import { withPolicy } from './storage-policy.ts';

export const quietLog = createLog('test', process.env.LOG_LEVEL ?? 'silent');

export const TEST_TOKEN_KEYS: TokenKeys = createTokenKeys({
  secret: 'token-secret-of-the-tests-32-bytes-long!!',
  accessTokenTtl: 1800,
  refreshTokenTtl: 86_400,
});

/** Limits that tests never reach unless they are about limits. */
export const UNLIMITED = { calls_address: 1_000_000, calls_person: 1_000_000, messages: 1_000_000 };

/** Lets the worker of a test name the request that caused a push. */
const FORWARDING_SECRET = 'forwarding-secret-of-the-tests-32-bytes';

/** A VAPID pair for tests only. */
export const TEST_VAPID = {
  publicKey: 'BG-9NFA07rWa6R10tZ5-a3a0NZytAr89m4wJW_BadAYINgWZ_Sc1lMkGuQ4Yki5uJvFyMUeWqT7yBzvRVzBsAFU',
  privateKey: 'fWCKcue1lM8-rgKZlD3yYWMYcOEbx86r5dl0WqE_yYU',
  subject: 'mailto:push@demo.test',
};

/** The keys with which providers sign their reports in tests. */
export const TEST_REPORT_KEYS = {
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  twilioAuthToken: 'twilio-token-of-the-tests',
  apiUrl: 'https://api.demo.test',
};

/** Starts the development object store on a free port, with an empty folder or a copy of one. */
export async function startStorage(original?: string, origins?: readonly string[]): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-test-'));
  if (original !== undefined) await cp(original, folder, { recursive: true });
  const { storage, close } = await openStorage(folder, quietLog, origins);
  after(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });
  return storage;
}

export interface TestApi extends TestDatabase {
  baseUrl: string;
  now(): Date;
  storage: Storage;
  /** Runs the queue until it is empty, with the providers of the test. */
  work(overrides?: Partial<WorkerContext>): Promise<void>;
  /** Makes failed jobs due now, instead of after their delay. */
  retryNow(): Promise<void>;
  /** Returns a client of someone from the cast, signed in. */
  as(name: CastName): Promise<Client>;
  people: OpensSessions<Client>;
  /** Returns clients of the whole cast, for a file that begins with an unchanged one. */
  everyone(): Promise<Record<CastName, Client>>;
  anonymous: Client;
  guardedRoutes: GuardedRoute[];
}

/** The checks of an application's readiness probe. */
export function readinessOf({ pool }: Pick<TestDatabase, 'pool'>, storage: Storage, withinMs = PATIENCE_MS): () => Promise<void> {
  const patience = { withinMs };
  const checks = [databaseIsReady(pool, patience), queueIsReady(pool), () => requireBucket(storage, patience)];
  return createReadiness(checks, quietLog, patience);
}

/** Starts the JSON API with a database and an object store, as a black box. */
export async function startApi({
  now = () => new Date(),
  production = false,
  limits = {},
  checkEveryMs = 250,
  publishEveryMs = 50,
  secrets = {},
  ...given
}: {
  now?: () => Date;
  production?: boolean;
  /** Limits that replace the platform's own for sign-ins, and the absence of limits for calls. */
  limits?: Partial<Config['limits']>;
  /** How often live streams check for changes that were not announced. */
  checkEveryMs?: number;
  /** How often the outbox is published. */
  publishEveryMs?: number;
  /** Secrets that replace those of the tests. */
  secrets?: Partial<Pick<ApiContext, 'encryptionKey' | 'masterApiKey' | 'masterApiKeyPrevious'>>;
  /** An address of a proxy whose X-Forwarded-For counts. */
  trustProxy?: string;
  database?: TestDatabase;
  /** Answers reads that may lag. */
  readLagging?: ReadLagging;
  /** The API is not ready if its dependencies have not answered within this time. */
  readyWithinMs?: number;
} = {}): Promise<TestApi> {
  const database = given.database ?? (await createTestDatabase());
  const own = database.inRole?.('api') ?? database;
  const storage = await startStorage();
  const ownStorage = withPolicy(storage, 'api');
  const push = { allowedHosts: ['127.0.0.1'], production };
  const live = new LiveUpdates({ ...own, storage: ownStorage, log: quietLog, checkEveryMs });
  live.start();
  // A test that follows the transactions of calls gets only those.
  const publisher = startPublisher({
    db: createDatabase(own.pool),
    log: quietLog,
    everyMs: publishEveryMs,
    complete: addAudiences,
  });
  after(() => publisher.stop());
  const counting = { ...UNLIMITED, ...limits };
  // Every count is written to the database at once, because tests check the common counts.
  const callLimits = createCallLimits({ pool: own.pool, log: quietLog, limits: counting, now, waitMs: PATIENCE_MS });
  const app = await createApiServer({
    db: own.db,
    readLagging: given.readLagging ?? readPrimary(own.db),
    storage: ownStorage,
    live,
    ready: readinessOf(own, ownStorage, given.readyWithinMs),
    throttle: createThrottle(own.pool, limits),
    callLimits,
    tokenKeys: TEST_TOKEN_KEYS,
    encryptionKey: TEST_SECRETS.encryptionKey,
    masterApiKey: TEST_SECRETS.masterApiKey,
    ...secrets,
    webUrl: 'http://localhost:3000',
    origins: ['http://localhost:3000'],
    push: { ...TEST_VAPID, ...push },
    reportKeys: {
      ...TEST_REPORT_KEYS,
      sendgridPublicKey: TEST_REPORT_KEYS.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    },
    now,
    log: quietLog,
    trustProxy: given.trustProxy,
    forwardingSecret: FORWARDING_SECRET,
  });
  const baseUrl = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
  after(() => app.close());
  const worker = database.inRole?.('worker') ?? database;
  const work = (overrides: Partial<WorkerContext> = {}) =>
    workUntilIdle({
      pool: worker.pool,
      log: quietLog,
      context: {
        db: worker.db,
        storage: withPolicy(storage, 'worker'),
        email: null,
        sms: null,
        keepsContent: true,
        push: { ...TEST_VAPID, ...push },
        internalApi: { url: baseUrl, masterApiKey: TEST_SECRETS.masterApiKey, forwardingSecret: FORWARDING_SECRET },
        webUrl: 'http://localhost:3000',
        apiUrl: baseUrl,
        adminUrl: 'http://localhost:4001',
        ...overrides,
      },
    });
  const retryNow = async () => {
    // The worker records a failure a moment after it returned, so this repeats until the job is unlocked.
    const due = 'update graphile_worker._private_jobs set run_at = now() where attempts > 0 and locked_at is null returning id';
    await eventually('a job that has failed', async () => (await database.pool.query(due)).rowCount !== 0);
  };
  const as = async (name: CastName) => {
    const user = await findCastMember(database, name);
    const { access_token } = await issueTokens(TEST_TOKEN_KEYS, user, now());
    return new Client(baseUrl, access_token, user.id);
  };
  return {
    ...database,
    baseUrl,
    now,
    storage,
    work,
    retryNow,
    as,
    people: peopleBy(as),
    everyone: () => everyoneBy(as),
    anonymous: new Client(baseUrl, null, 0),
    guardedRoutes: app.guardedRoutes,
  };
}

/** Finds a person of the cast in a database. */
export async function findCastMember({ db }: Pick<TestDatabase, 'db'>, name: CastName): Promise<User> {
  const { email_address, user_type } = CAST[name];
  const [user] = await query<User>(
    db,
    sql`select id, email_address, user_type, first_name, last_name, agency_id, admin_role_id from user_account
         where email_address = ${email_address} and user_type = ${fromApiUserType(user_type) ?? ''}`,
  );
  if (user === undefined) throw new Error(`the cast has no ${name}`);
  return user;
}

/** A response: its status, its headers, and its body, parsed if it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the body.
  body: any;
}

/** Calls the API as one person. */
export class Client {
  readonly baseUrl: string;
  readonly token: string | null;
  readonly userId: number;

  constructor(baseUrl: string, token: string | null, userId: number) {
    this.baseUrl = baseUrl;
    this.token = token;
    this.userId = userId;
  }

  get(path: string): Promise<Answer> {
    return this.call('GET', path);
  }

  post(path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    if (json === undefined) return this.call('POST', path, { headers });
    const body = JSON.stringify(json);
    return this.call('POST', path, { body, headers: { 'content-type': 'application/json', ...headers } });
  }

  /** Sends a multipart form; a list of files goes under `files`. */
  form(
    path: string,
    fields: Record<string, string>,
    files: { name: string; type: string; content: Buffer }[] = [],
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    for (const { name, type, content } of files) {
      body.append('files', new Blob([new Uint8Array(content)], { type }), name);
    }
    return this.call('POST', path, { body, headers });
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = new Headers(init.headers);
    if (this.token !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${this.token}`);
    const response = await fetch(new URL(path, this.baseUrl), { ...init, method, headers, redirect: 'manual' });
    const text = await response.text();
    const json = /json/.test(response.headers.get('content-type') ?? '');
    const body = json ? JSON.parse(text) : text;
    // The reference explains every code (API-11).
    if (body?.type?.endsWith(`/docs#${body.code}`)) {
      const statuses: readonly number[] = ERROR_CODES[body.code as keyof typeof ERROR_CODES]?.[0] ?? [];
      assert.ok(statuses.includes(response.status), `the reference has no ${response.status} ${body.code}`);
    }
    return { status: response.status, headers: response.headers, body };
  }
}
