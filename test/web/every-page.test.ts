import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { useRealStack } from '../support/stack/shared-stack.ts';
import { committedPages } from './committed-pages.ts';
import {
  CLOSED,
  emptyPlatform,
  MAIN,
  makeCases,
  makeToday,
  NEW,
  type Person,
  SECOND,
  signPeopleIn,
  stopPayments,
  webCookie,
} from './page-cases.ts';
import { pageLines } from './page-lines.ts';
import { stableLine } from './stable-line.ts';

/**
 * Every page of the web frontend as the people who can open it see it, in each of its states. every-page.txt lists what they read
 * and what they can do there, so that a wrong word, amount, order, link, or field on any page fails here.
 */

const stack = await useRealStack(['admin']);
const compare = committedPages(new URL('every-page.txt', import.meta.url));
await emptyPlatform(stack);
const people = await signPeopleIn(stack);
/** Zones without daylight saving time, in which the fixed times are on different days. */
const ZONES: Partial<Record<string, string>> = { parent2: 'Asia/Kolkata', rep: 'Asia/Kolkata' };
const OTHER_ZONE = 'America/Phoenix';

const APP = fileURLToPath(new URL('../../apps/web/app', import.meta.url));
const files = globSync('**/page.tsx', { cwd: APP }).sort();
const routes = files.map((file) => {
  const parts = file.split('/').slice(0, -1);
  return { file, pattern: parts.filter((part) => !part.startsWith('(')) };
});
const opened = new Set<string>();

function noteRoute(path: string): void {
  const parts = (path.split(/[?#]/, 1)[0] ?? '').split('/').filter(Boolean);
  const matching = routes.filter(
    ({ pattern }) => pattern.length === parts.length && pattern.every((part, at) => part.startsWith('[') || part === parts[at]),
  );
  const [exact] = matching.toSorted((a, b) => a.pattern.join().split('[').length - b.pattern.join().split('[').length);
  if (exact !== undefined) opened.add(exact.file);
}

let zone = OTHER_ZONE;
const stable = (line: string) => stableLine(line, zone);
const shells = new Set<string>();
const written = new Set<string>();

const differences: unknown[] = [];
afterEach(() => {
  const pages = differences.splice(0);
  if (pages.length > 0) throw new AggregateError(pages, `${pages.length} pages differ`);
});

interface Visit {
  cookie?: string;
  name: string;
}

/**
 * Compares a page with its section. A navigation that was written before is left out.
 * @returns the address of the next page of its list.
 */
async function look(who: Person | Visit, path: string, state = ''): Promise<string> {
  noteRoute(path);
  zone = ZONES[who.name] ?? OTHER_ZONE;
  const cookie = [who.cookie, `case-zone=${encodeURIComponent(zone)}`].filter(Boolean).join('; ');
  const answer = await fetch(stack.webUrl + path, { headers: { cookie, 'accept-language': 'en-US' }, redirect: 'manual' });
  const text = await answer.text();
  const { title, main, shell } = pageLines(text);
  const lines = [`${answer.status} ${answer.headers.get('location') ?? title}`];
  const around = shell.map(stable);
  if (around.length > 0 && !shells.has(around.join('\n'))) lines.push(...around.filter(isNew));
  shells.add(around.join('\n'));
  lines.push(...(answer.status === 404 ? [wordsOfMissing(text)] : main.map(stable)));
  const cursor = /(?<=cursor=)[^&)]*/g;
  const shown = stable(path).replace(cursor, 'CURSOR');
  try {
    compare(
      `${who.name} ${shown}${state === '' ? '' : `, ${state}`}`,
      lines.map((line) => line.replaceAll(cursor, 'CURSOR')),
    );
  } catch (error) {
    // The other pages are compared as well, so that a failure shows all of them.
    differences.push(error);
  }
  return main.join('\n').match(/\]\((\S*cursor=[^)]*)\)/)?.[1] ?? '';
}
const isNew = (line: string) => !written.has(line) && written.add(line);

/** Next.js sends a page that says that something is missing only as data. */
const wordsOfMissing = (text: string) => {
  const words = [...text.matchAll(/\\"(children|href)\\":\\"([^"\\]+)\\"/g)].map(([, name, value]) => `${name} ${value}`);
  return [...new Set(words)]
    .filter((line) => !/_next|favicon|^children \$/.test(line))
    .sort()
    .join(' | ');
};

const NOBODY: Visit = { name: 'nobody' };

test('[PAGE-1] pages before signing in, and of people who are not signed in', async () => {
  for (const path of [
    '/login',
    '/login?session=ended',
    '/login?reset=done&role=surrogate',
    '/login?reset=welcome&role=intended_parent',
    '/password-reset',
    '/password-reset?role=case_manager',
    '/password-reset/confirm',
    '/password-reset/confirm?invitation=1&role=surrogate',
    '/password-reset/address',
    '/proof/NONE',
    '/cases/11?a=b',
  ])
    await look(NOBODY, path);
  const cookie = await webCookie(stack.webUrl, {
    email_address: 'totp@demo.test',
    user_type: 'surrogate',
    pass_hash: 'Demo-Passw0rd!',
  });
  await look({ name: 'halfway', cookie }, '/login');
  await look(people.parent, '/login');
});

const { parent, parent2, surrogate, manager, owner, rep, bothParent, escrow, viewer } = people;

/** Compares pages of one person. `>` is the next page of the list before it. */
async function lookAtAll(who: Person | Visit, paths: string, state = ''): Promise<void> {
  let next = '';
  for (const path of paths.split(/\s+/).filter(Boolean))
    next = path === '>' ? await look(who, next, 'next page') : await look(who, path, state);
}

test('[PAGE-1, HOME-2] pages without anything on them', () =>
  lookAtAll(
    surrogate,
    `/ /messages /messages/new /cases /disbursements /disbursements/new /payments /profile /settings
     /cases/11 /messages/999 /disbursements/999`,
    'empty',
  ));

test('[PAGE-1, HOME-2] the home page, lists, and cases of everyone', async () => {
  await makeCases(stack, people);
  for (const who of [parent, surrogate]) await lookAtAll(who, '/ /messages /disbursements /cases /profile');
  for (const who of [parent2, manager]) await lookAtAll(who, '/ /disbursements');
  await lookAtAll(rep, '/ /profile');
  await lookAtAll(escrow, '/ /cases /profile');
  await lookAtAll(owner, '/');
  await lookAtAll(bothParent, '/ /cases');
  await lookAtAll(viewer, '/');
  for (const who of [parent, surrogate, escrow]) await lookAtAll(who, `/cases/${MAIN}`);
  await lookAtAll(parent, `/cases/${SECOND} /cases/${NEW}`);
  await lookAtAll(bothParent, `/cases/${NEW}`);
  await lookAtAll(manager, `/cases/${CLOSED}`);
});

test('[PAGE-3] lists by each filter, and their next pages', async () => {
  await lookAtAll(
    owner,
    '/cases?sort=created_at > /cases?status=closed /cases?sort=name&q=many&status=closing /cases?sort=created_at&status=cancelled /cases?q=alder',
  );
  await lookAtAll(owner, '/cases?q=nothing&status=active');
  for (const state of ['draft', 'submitted', 'paid', 'ended'])
    await lookAtAll(state === 'draft' ? escrow : manager, `/disbursements?status=${state}`);
  await lookAtAll(parent, `/disbursements?case=${SECOND} /disbursements?q=hotel /disbursements?q=nothing&case=${SECOND}`);
  await lookAtAll(parent, `/messages?show=closed /messages?q=words&case=${MAIN} /messages?q=nothing`);
});

test('[STATEMENT-1, PROOF-4] statements and proofs', async () => {
  const year = 'from=2023-01-01&to=2023-12-31';
  await lookAtAll(
    parent,
    `/cases/${MAIN}/statement?${year} /cases/${MAIN}/statement?from=2023-02-10&to=2023-03-05 /cases/${MAIN}/statement`,
  );
  await lookAtAll(
    parent,
    `/cases/${SECOND}/statement /cases/${SECOND}/statement?from=2023-02-02&to=2023-02-01 /cases/${NEW}/statement`,
  );
  await lookAtAll(surrogate, `/cases/${MAIN}/statement?${year} /payments?${year}`);
  await lookAtAll(rep, `/payments?${year} /payments?from=2023-02-02&to=2023-02-01`);
  await lookAtAll(parent, `/cases/${MAIN}/proofs /cases/${SECOND}/proofs /cases/${NEW}/proofs`);
  await lookAtAll(escrow, `/cases/${MAIN}/proofs`);
});

test('[REQUEST-14] each request, for its maker, payee, and approver, and for others', async () => {
  const { rows } = await stack.pool.query<{ id: number }>('select id::int from disbursement_request order by id');
  const READERS: [Person, number[]][] = [
    [parent, rows.map(({ id }) => id)],
    [surrogate, [203, 206, 208, 212, 216]],
    [escrow, [203, 207, 212, 216]],
    [rep, [204, 209]],
    [manager, [202, 217]],
    [parent2, [211, 215]],
  ];
  for (const [who, ids] of READERS) await lookAtAll(who, ids.map((id) => `/disbursements/${id}`).join(' '));
});

test('[REQUEST-1] the forms of requests', async () => {
  await lookAtAll(
    surrogate,
    `/disbursements/new /disbursements/new?case_id=${MAIN} /disbursements/216/edit /disbursements/212/edit`,
  );
  await lookAtAll(parent, `/disbursements/new?case_id=${MAIN}&payment=403 /disbursements/new?case_id=${MAIN}&payment=406`);
  await lookAtAll(manager, `/disbursements/new?case_id=${CLOSED} /disbursements/217/edit`);
  for (const who of [parent2, rep, bothParent, escrow]) await lookAtAll(who, '/disbursements/new');
});

test('[CHAIN-13] conversations', async () => {
  for (const who of [parent, parent2, surrogate, manager]) await lookAtAll(who, '/messages/301');
  await lookAtAll(surrogate, '/messages/302');
  await lookAtAll(parent, `/messages/302 /messages/303?show=closed /messages/new?case=${SECOND} /messages/new?case=${NEW}`);
  await lookAtAll(manager, '/messages/304 /messages/new');
  for (const who of [rep, bothParent]) await lookAtAll(who, '/messages/new');
  await lookAtAll(escrow, '/messages/302');
});

test('[PAGE-1] settings', async () => {
  for (const who of [parent, escrow]) await lookAtAll(who, '/settings');
});

test('[LIVE-5, BANK-10] today and yesterday, and after a change of the payee’s account', async () => {
  const codes = await makeToday(stack, people);
  const state = 'today';
  await lookAtAll(parent, `/ /messages/301 /cases/${MAIN}/proofs`, state);
  await lookAtAll(surrogate, '/ /profile /payments', state);
  await lookAtAll(parent, '/disbursements/208 /disbursements/221', state);
  await lookAtAll(surrogate, '/disbursements/205 /disbursements/208', state);
  await lookAtAll(manager, '/disbursements/222', state);
  await lookAtAll(rep, '/ /profile /disbursements/209', state);
  for (const [at, code] of codes.entries()) await look(NOBODY, `/proof/${code}`, `proof ${at + 1}`);
});

test('[BANK-10] after all payments to the payee were stopped', async () => {
  await stopPayments(stack, people);
  await lookAtAll(parent, '/ /disbursements/208', 'stopped');
  await lookAtAll(surrogate, '/disbursements/208', 'stopped');
});

test('[PAGE-1] every page of the web frontend is among these', () => {
  assert.deepEqual(
    files.filter((file) => !opened.has(file)),
    [],
  );
});
