import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Acknowledged } from './check-outcome.ts';

const PAUSE_MS = 40;
const ANSWER_WITHIN_MS = 20_000;
const PASSWORD = 'Demo-Passw0rd!';

/** Acts as a load balancer: each call goes to one of the current processes. Failed calls are not repeated. */
export class Entry {
  readonly targets: string[] = [];
  readonly failures: string[] = [];
  calls = 0;
  slowestMs = 0;

  async call(path: string, init: RequestInit = {}, expected: readonly number[] = [200, 201]): Promise<Response | null> {
    const target = this.targets[Math.floor(Math.random() * this.targets.length)];
    const began = performance.now();
    const name = `${init.method ?? 'GET'} ${path.replaceAll(/\d+/g, ':id')}`;
    this.calls += 1;
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      const response = await fetch(`${target}${path}`, { ...init, signal, redirect: 'manual' });
      if (expected.includes(response.status)) return response;
      this.failures.push(`${name}: ${response.status} ${(await response.text()).slice(0, 200)}`);
    } catch (error) {
      this.failures.push(`${name}: ${(error as Error).message} ${String((error as Error).cause ?? '')}`);
    } finally {
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
    }
    return null;
  }

  async json<Body>(path: string, headers: Headers, body?: object): Promise<Body | null> {
    const init = body === undefined ? { headers } : post(headers, body);
    return ((await this.call(path, init))?.json() as Promise<Body> | undefined) ?? null;
  }
}

type Headers = Record<string, string>;

const post = (headers: Headers, body: object): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** The actions of people, in loops that each continue as soon as they are answered, until they are stopped. */
export interface Load {
  acknowledged: Acknowledged[];
  /** The number of requests that were drafted, submitted, and approved. */
  decided: number;
  stop(): Promise<void>;
}

export interface People {
  parent: Headers;
  surrogate: Headers;
  escrow: Headers;
  /** A case that all three are on. */
  caseId: number;
}

export function startLoad(api: Entry, staff: Entry, { parent, surrogate, escrow, caseId }: People): Load {
  let goesOn = true;
  const load: Load = { acknowledged: [], decided: 0, stop: async () => {} };
  const loop = async (work: () => Promise<void>) => {
    while (goesOn) {
      await work();
      await sleep(PAUSE_MS);
    }
  };
  const write = async () => {
    const body = new FormData();
    const key = randomUUID();
    body.set('message', `Message ${key}`);
    const sent = await api.call('/api/messages', {
      method: 'POST',
      body,
      headers: { ...parent, 'idempotency-key': key },
    });
    if (sent !== null) load.acknowledged.push(((await sent.json()) as { message: Acknowledged }).message);
  };
  const read = async () => {
    for (const path of ['/api/home', '/api/messages', '/api/cases', `/api/cases/${caseId}`, '/api/user/me'])
      await api.call(path, { headers: parent });
    await api.call(`/api/cases/${caseId}/statement`, { headers: parent });
    for (const path of ['/api/messages', '/api/messages/unread/count']) await api.call(path, { headers: escrow });
  };
  const ask = async () => {
    const wanted = { amount_cents: 100, category: 'Other', description: 'Train' };
    const made = await api.json<{ id: number }>(`/api/cases/${caseId}/disbursements`, surrogate, wanted);
    if (made === null) return;
    const place = `/api/disbursements/${made.id}`;
    const sent = await api.json<{ version: string }>(`${place}/submit`, surrogate, {});
    if (sent === null) return;
    const done = await api.json(`${place}/approve`, parent, { version: sent.version });
    if (done !== null) load.decided += 1;
  };
  const look = async () => {
    const cookie = await signInAsStaff(staff);
    if (cookie === null) return;
    for (const path of ['/', '/messages', '/cases', `/cases/${caseId}`, '/disbursements', '/account'])
      await staff.call(path, { headers: { accept: 'text/html', cookie } });
  };
  const loops = [write, write, read, read, ask, look].map(loop);
  load.stop = async () => {
    goesOn = false;
    await Promise.all(loops);
  };
  return load;
}

/** Signs in by the form, as a browser does. @returns the cookie of the session, which works in every process */
async function signInAsStaff(staff: Entry): Promise<string | null> {
  const form = await staff.call('/login', { headers: { accept: 'text/html' } });
  if (form === null) return null;
  const hidden = [...(await form.text()).matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
  const body = new URLSearchParams({ ...fields, email: 'escrow@demo.test', password: PASSWORD, user_type: 'admin' });
  const cookiesOf = (response: Response) => response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
  const headers = { cookie: cookiesOf(form).join('; '), 'sec-fetch-site': 'same-origin' };
  const answer = await staff.call('/login', { method: 'POST', body, headers }, [302, 303]);
  return answer === null ? null : cookiesOf(answer).join('; ');
}
