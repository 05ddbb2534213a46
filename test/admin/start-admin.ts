import { after } from 'node:test';
import type { Config } from '@case-platform/lib/config';
import { type ReadLagging, readPrimary } from '@case-platform/lib/database/replica-reads';
import { type GuardedRoute, listen } from '@case-platform/lib/http-server';
import { startPublisher } from '@case-platform/lib/outbox/publisher';
import { createCallLimits, createThrottle, findSession, openSession } from '@case-platform/modules/accounts';
import { addAudiences, LiveUpdates } from '@case-platform/modules/live';
import type { Storage } from '@case-platform/modules/storage';
import type { UserType } from '@case-platform/words/user-types';
import type { AdminContext } from '../../apps/admin/context.ts';
import { ownCookie } from '../../apps/admin/guards/own-cookie.ts';
import { createAdminServer } from '../../apps/admin/server.ts';
import { type CastName, type OpensSessions, peopleBy } from '../support/cast.ts';
import { createTestDatabase, PATIENCE_MS, TEST_SECRETS, type TestDatabase } from '../support/database.ts';
import { findCastMember, quietLog, readinessOf, startStorage, UNLIMITED } from '../support/platform.ts';
import { withPolicy } from '../support/storage-policy.ts';
import { tightMarkup } from './tight-markup.ts';

export interface TestAdmin extends TestDatabase {
  baseUrl: string;
  storage: Storage;
  /** Opens a session for a person of the cast, without the forms and the password of a sign-in. */
  as(name: CastName): Promise<Visitor>;
  people: OpensSessions<Visitor>;
  /** Creates a browser without a session. */
  visitor(): Visitor;
  guardedRoutes: GuardedRoute[];
}

const CONFIG = {
  production: false,
  offersDemoPeople: false,
  adminUrl: 'http://localhost:4001',
  webUrl: 'http://localhost:3000',
  sessionIdleTtl: 3600,
  strictPageGuard: false,
  trustProxy: undefined,
};

/** Starts the staff application on a port, with a database and an object store of its own or of another layer. */
export async function startAdmin(
  options: {
    config?: Partial<AdminContext['config']>;
    now?: () => Date;
    /** Replaces the platform's limits for sign-ins. By default calls are not limited. */
    limits?: Partial<Config['limits']>;
    database?: TestDatabase;
    /** Answers reads that may lag. */
    readLagging?: ReadLagging;
    storage?: Storage;
    /** The application is not ready if a dependency has not answered by then. */
    readyWithinMs?: number;
    /** How often open streams without an event are checked for access. */
    checkEveryMs?: number;
  } = {},
): Promise<TestAdmin> {
  const database = options.database ?? (await createTestDatabase());
  const own = database.inRole?.('admin') ?? database;
  const storage = options.storage ?? (await startStorage());
  const ownStorage = withPolicy(storage, 'admin');
  const config = { ...CONFIG, ...options.config };
  const { limits = {}, checkEveryMs = 250 } = options;
  const { now = () => new Date() } = options;
  const live = new LiveUpdates({ ...own, storage: ownStorage, log: quietLog, checkEveryMs });
  live.start();
  const publisher = startPublisher({ db: own.db, log: quietLog, everyMs: 50, complete: addAudiences });
  after(() => publisher.stop());
  const app = await createAdminServer({
    config,
    db: own.db,
    readLagging: options.readLagging ?? readPrimary(own.db),
    storage: ownStorage,
    live,
    ready: readinessOf(own, ownStorage, options.readyWithinMs),
    throttle: createThrottle(own.pool, limits),
    callLimits: createCallLimits({
      pool: own.pool,
      log: quietLog,
      limits: { ...UNLIMITED, ...limits },
      now,
      waitMs: PATIENCE_MS,
    }),
    encryptionKey: TEST_SECRETS.encryptionKey,
    log: quietLog,
    now,
  });
  const baseUrl = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
  after(() => app.close());
  const visitor = () => new Visitor(baseUrl);
  const as = async (name: CastName) => {
    const id = await openSession(database.db, await findCastMember(database, name), now());
    const session = await findSession(database.db, id, { idleSeconds: config.sessionIdleTtl }, now());
    const member = visitor();
    member.resume(ownCookie('case_session', config).name, id, session?.csrf_token ?? '');
    return member;
  };
  return { ...database, baseUrl, storage, as, people: peopleBy(as), visitor, guardedRoutes: app.guardedRoutes };
}

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** The path of a redirect within the application. */
  location: string | null;
}

type FormFields = Record<string, string | string[]>;
interface FormFile {
  name: string;
  type: string;
  content: Buffer;
}

/** A browser without pages that keeps its cookies and follows no redirects. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly baseUrl: string;
  #csrfToken = '';

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** Signs in by the form and remembers the token that the pages' forms carry. */
  async signIn(email: string, password: string, user_type: UserType = 'admin'): Promise<Page> {
    const form = await this.get('/login');
    const fields = { email, password, user_type };
    // Someone who is signed in already is redirected instead of seeing the form.
    const page = form.status === 200 ? await this.fill(form, '/login', fields) : await this.submit('/login', fields);
    await this.#rememberToken();
    return page;
  }

  /** Continues a session that was opened without a form. */
  resume(cookie: string, id: string, csrfToken: string): void {
    this.cookies.set(cookie, id);
    this.#csrfToken = csrfToken;
  }

  /** Sends the code after the password, by the form at the path of the redirect. */
  async enterCode(code: string, path = '/login/otp'): Promise<Page> {
    const form = await this.get(path);
    if (form.status !== 200) return form;
    const page = await this.fill(form, '/login/otp', { code });
    await this.#rememberToken();
    return page;
  }

  /** Sends a form of a page as a browser would, with its hidden fields. */
  fill({ text }: Page, action: string, fields: FormFields = {}): Promise<Page> {
    return this.submit(action, { ...hiddenIn(text, action), ...fields }, { 'sec-fetch-site': 'same-origin' });
  }

  /** Grants a role with the versions that the person's page shows now, even if the page has no form for it. */
  async giveRole(userId: number, roleId: number | ''): Promise<Page> {
    const page = await this.get(`/users/${userId}`);
    const path = `/users/${userId}/role`;
    return this.post(path, { ...hiddenIn(page.text, path), admin_role_id: roleChoice(page, roleId) });
  }

  async #rememberToken(): Promise<void> {
    if (!['case_session', '__Host-case_session'].some((name) => this.cookies.has(name))) return;
    this.#csrfToken = /name="_csrf" value="([^"]+)"/.exec((await this.get('/account')).text)?.[1] ?? '';
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.call('GET', path, { headers: { accept: 'text/html', ...headers } });
  }

  /** Sends a form as a page would, with the session's token. */
  post(path: string, fields: FormFields = {}, headers: Record<string, string> = {}): Promise<Page> {
    return this.submit(path, { _csrf: this.#csrfToken, ...fields }, headers);
  }

  /** Sends a form without adding a token. */
  submit(path: string, fields: FormFields, headers: Record<string, string> = {}): Promise<Page> {
    const body = new URLSearchParams(pairs(fields));
    return this.call('POST', path, { body, headers: { accept: 'text/html', ...headers } });
  }

  /** Sends a form with files, beginning with the session's token. */
  upload(path: string, fields: FormFields, files: FormFile[] = []): Promise<Page> {
    const body = new FormData();
    for (const [name, value] of pairs({ _csrf: this.#csrfToken, ...fields })) body.append(name, value);
    for (const { name, type, content } of files) body.append('files', new Blob([new Uint8Array(content)], { type }), name);
    return this.call('POST', path, { body, headers: { accept: 'text/html' } });
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<Page> {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(new URL(path, this.baseUrl), { ...init, method, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const { status } = response;
    // An event stream never ends, so it cannot be read to its end.
    const type = response.headers.get('content-type') ?? '';
    const isStream = type.startsWith('text/event-stream');
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    return {
      status,
      headers: response.headers,
      text: type.startsWith('text/html') ? tightMarkup(text) : text,
      location: response.headers.get('location'),
    };
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

/** Returns the address of a list's next page, or an empty text. */
export function nextPage({ text }: Page): string {
  return plain(/rel="next" href="([^"]+)"/.exec(text)?.[1] ?? '');
}

/** Returns the value of a role in a page's list of roles, or only its id if it is not in the list. */
export function roleChoice({ text }: Page, roleId: number | string): string {
  return new RegExp(`<option value="(${roleId}@[^"]+)"`).exec(plain(text))?.[1] ?? String(roleId);
}

/** Returns the hidden fields of a form, several of one name as a list. */
function hiddenIn(text: string, action: string): FormFields {
  const form = text.split('<form').find((part) => part.split('>', 1)[0]?.includes(`action="${action}"`)) ?? '';
  const inside = form.split('</form>', 1)[0] ?? '';
  const hidden = [...inside.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const valuesOf = Map.groupBy(hidden, ([, name = '']) => name);
  return Object.fromEntries(
    [...valuesOf].map(([name, fields]) => {
      const values = fields.map(([, , value = '']) => plain(value));
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** Decodes the numeric entities in an attribute. */
function plain(attribute: string): string {
  return attribute.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)));
}

function pairs(fields: FormFields): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]));
}
