import { after } from 'node:test';
import { listen } from '@case-platform/lib/http-server';
import { createThrottle, fromApiUserType, type UserType } from '@case-platform/modules/accounts';
import type { Storage } from '@case-platform/modules/storage';
import type { AdminContext } from '../../apps/admin/context.ts';
import { createAdminServer } from '../../apps/admin/server.ts';
import { CAST, type CastName, passwordOf } from '../support/cast.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { quietLog, startStorage } from '../support/platform.ts';

export interface TestAdmin extends TestDatabase {
  baseUrl: string;
  storage: Storage;
  /** Someone of the cast, signed in through the form. */
  as(name: CastName): Promise<Visitor>;
  /** Someone who is not signed in. */
  visitor(): Visitor;
  guardedRoutes: { method: string; url: string; guard: string }[];
}

const CONFIG = {
  production: false,
  adminUrl: 'http://localhost:4001',
  webUrl: 'http://localhost:3000',
  sessionIdleTtl: 3600,
  strictPageGuard: false,
  trustProxy: undefined,
};

/** The server-rendered application as a black box: a database, an object store, a port. */
export async function startAdmin(
  options: { config?: Partial<AdminContext['config']>; now?: () => Date } = {},
): Promise<TestAdmin> {
  const database = await createTestDatabase();
  const storage = await startStorage();
  const config = { ...CONFIG, ...options.config };
  const now = options.now === undefined ? {} : { now: options.now };
  const app = await createAdminServer({
    config,
    db: database.db,
    storage,
    throttle: createThrottle(database.pool),
    log: quietLog,
    ...now,
  });
  const baseUrl = `http://127.0.0.1:${await listen(app, '127.0.0.1', 0)}`;
  after(() => app.close());
  const visitor = () => new Visitor(baseUrl);
  const as = async (name: CastName) => {
    const member = visitor();
    await member.signIn(CAST[name].email_address, passwordOf(name), fromApiUserType(CAST[name].user_type));
    return member;
  };
  return { ...database, baseUrl, storage, as, visitor, guardedRoutes: app.guardedRoutes };
}

export interface Page {
  status: number;
  headers: Headers;
  text: string;
  /** Where a redirect leads, within the application. */
  location: string | null;
}

type FormFields = Record<string, string | string[]>;
interface FormFile {
  name: string;
  type: string;
  content: Buffer;
}

/** One browser without a screen: keeps its cookies, follows nothing. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly baseUrl: string;
  #csrfToken = '';

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** Signs in by the form and remembers the token that the pages' forms carry. */
  async signIn(email: string, password: string, user_type: UserType = 'admin'): Promise<Page> {
    const page = await this.submit('/login', { email, password, user_type });
    if (page.status !== 303) return page;
    this.#csrfToken = /name="_csrf" value="([^"]+)"/.exec((await this.get('/')).text)?.[1] ?? '';
    return page;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Page> {
    return this.call('GET', path, { headers: { accept: 'text/html', ...headers } });
  }

  /** Sends a form as a page would, with the session's token. */
  post(path: string, fields: FormFields = {}, headers: Record<string, string> = {}): Promise<Page> {
    return this.submit(path, { _csrf: this.#csrfToken, ...fields }, headers);
  }

  /** Sends a form as it is. */
  submit(path: string, fields: FormFields, headers: Record<string, string> = {}): Promise<Page> {
    const body = new URLSearchParams(pairs(fields));
    return this.call('POST', path, { body, headers: { accept: 'text/html', ...headers } });
  }

  /** Sends a form with files, with the session's token before everything else. */
  upload(path: string, fields: FormFields, files: FormFile[] = []): Promise<Page> {
    const body = new FormData();
    for (const [name, value] of pairs({ _csrf: this.#csrfToken, ...fields })) body.append(name, value);
    for (const { name, type, content } of files)
      body.append('files', new Blob([new Uint8Array(content)], { type }), name);
    return this.call('POST', path, { body, headers: { accept: 'text/html' } });
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<Page> {
    const headers = new Headers(init.headers);
    headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(new URL(path, this.baseUrl), { ...init, method, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const { status } = response;
    return {
      status,
      headers: response.headers,
      text: await response.text(),
      location: response.headers.get('location'),
    };
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function pairs(fields: FormFields): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one]));
}
