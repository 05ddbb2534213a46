import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { accountPage } from '../../apps/admin/account/account-page.ts';
import { backupCodesPage, twoFactorPage } from '../../apps/admin/account/two-factor-page.ts';
import { newBatchPage } from '../../apps/admin/batches/new-batch-page.ts';
import { disbursementFormPage } from '../../apps/admin/disbursements/disbursement-form.ts';
import { uploadForm } from '../../apps/admin/form/upload-form.ts';
import { attachments } from '../../apps/admin/inbox/attachment.ts';
import { chainListPage } from '../../apps/admin/inbox/chain-list.ts';
import { chainPage } from '../../apps/admin/inbox/chain-page.ts';
import { newChainPage } from '../../apps/admin/inbox/new-chain-page.ts';
import { staffFrame } from '../support/staff-frame.ts';

/** The built scripts of staff pages on the markup of real pages, in a document without a browser. */

// Its types would bring those of a document into every file of this project.
const require = createRequire(import.meta.url);
const { JSDOM, VirtualConsole } = require('jsdom');
const { implForWrapper } = require('jsdom/lib/generated/idl/utils.js');

const NOW = new Date('2026-11-23T12:00:00Z');
const frame = staffFrame({ permissions: ['view_messages', 'reassign_threads'], now: NOW });
const NOTICES = { done: undefined, refused: undefined };
const scriptOf = (name: string) => readFileSync(new URL(`../../apps/admin/.built/${name}.js`, import.meta.url), 'utf8');

interface Call {
  path: string;
  method: string;
  headers: Record<string, string>;
  fields: Record<string, string>;
}
type Answer = { status: number; body?: unknown } | 'drop';

/** The main part of a page, for scripts that need nothing of the frame around it. */
const mainOf = (page: unknown) => String(page).replace(/^[\s\S]*(?=<main)/, '');

// biome-ignore lint/suspicious/noExplicitAny: this project is checked without the types of a document.
type Any = any;
const open = new Set<Any>();
afterEach(() => {
  for (const window of open) window.close();
  open.clear();
});

/** Opens a page and runs its scripts. What jsdom lacks is recorded, or does nothing. */
function openPage(markup: unknown, scripts: string[], { url = 'https://staff.test/page', stored = {}, session = {} } = {}) {
  const opened: string[] = [];
  const virtualConsole = new VirtualConsole();
  virtualConsole.on('jsdomError', (error: { type?: string; message: string }) => opened.push(error.message));
  const dom = new JSDOM(String(markup), { url, runScripts: 'outside-only', pretendToBeVisual: true, virtualConsole });
  const window: Any = dom.window;
  open.add(window);
  const calls: Call[] = [];
  const answers = new Map<string, Answer>();
  let time = NOW.getTime();
  let timers: { at: number; every?: number; work: () => void }[] = [];
  const later = (work: () => void, wait = 0, every?: number) => {
    const timer = { at: time + wait, work, ...(every === undefined ? {} : { every }) };
    timers.push(timer);
    return timer;
  };
  const forget = (timer: unknown) => {
    timers = timers.filter((one) => one !== timer);
  };
  Object.assign(window, {
    setTimeout: (work: () => void, wait?: number) => later(work, wait),
    setInterval: (work: () => void, wait: number) => later(work, wait, wait),
    clearTimeout: forget,
    clearInterval: forget,
    fetch: async (path: string, { method = 'GET', headers = {}, body }: Any = {}) => {
      const { pathname, search } = new URL(path, url);
      calls.push({ path: pathname + search, method, headers, fields: Object.fromEntries(body ?? []) });
      const answer = answers.get(`${method} ${pathname}`) ?? { status: 200, body: {} };
      if (answer === 'drop') throw new TypeError('Failed to fetch');
      const { status, body: content } = answer;
      return {
        status,
        ok: status < 400,
        redirected: false,
        text: async () => String(content),
        json: async () => content ?? Promise.reject(new SyntaxError('not JSON')),
      };
    },
  });
  window.Date.now = () => time;
  window.performance.getEntriesByType = () => [{ redirectCount: 0 }];
  window.Element.prototype.scrollIntoView = () => {};
  window.HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  window.HTMLDialogElement.prototype.close = function close() {
    this.open = false;
    this.dispatchEvent(new window.Event('close'));
  };
  for (const [name, value] of Object.entries(stored)) window.localStorage.setItem(name, value);
  for (const [name, value] of Object.entries(session)) window.sessionStorage.setItem(name, value);
  const { document } = window;
  const page = {
    window,
    document,
    calls,
    answers,
    opened,
    /** The one element that matches. */
    get: (selector: string): Any => document.querySelector(selector) ?? assert.fail(selector),
    all: (selector: string): Any[] => [...document.querySelectorAll(selector)],
    press: (key: string, on: Any = document.body, more: object = {}) =>
      on.dispatchEvent(new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more })),
    type(selector: string, text: string) {
      const field = page.get(selector);
      field.value = text;
      field.dispatchEvent(new window.Event(field.tagName === 'SELECT' ? 'change' : 'input', { bubbles: true }));
      if (field.tagName === 'SELECT') field.dispatchEvent(new window.Event('input', { bubbles: true }));
      return field;
    },
    /** Sends a form, and does not leave the page. @returns whether it was sent */
    send(form: Any) {
      form.addEventListener('submit', (event: Any) => event.preventDefault(), { once: true });
      form.requestSubmit();
    },
    fire: (on: Any, name: string, more: object = {}) =>
      on.dispatchEvent(Object.assign(new window.Event(name, { bubbles: true, cancelable: true }), more)),
    live: (name: string, detail: object = {}) => document.dispatchEvent(new window.CustomEvent(`live:${name}`, { detail })),
    /** Lets time pass, with everything that was to happen meanwhile. */
    pass(ms: number) {
      const until = time + ms;
      for (;;) {
        const due = timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at)[0];
        if (due === undefined) break;
        time = due.at;
        if (due.every === undefined) forget(due);
        else due.at += due.every;
        due.work();
      }
      time = until;
    },
    stored: (storage: 'localStorage' | 'sessionStorage' = 'localStorage') => ({ ...window[storage] }) as Record<string, string>,
    run: (name: string) => window.eval(scriptOf(name)),
    goTo: (address: string) => dom.reconfigure({ url: address }),
  };
  for (const name of scripts) page.run(name);
  return page;
}
type OpenPage = ReturnType<typeof openPage>;

/** The controls of a page and the focus. A call that failed changes neither, because people try again. */
const controlsOf = (page: OpenPage) => ({
  controls: page
    .all('input, select, textarea, button')
    .map(({ id, name, value, checked, disabled, hidden }) => ({ id, name, value, checked, disabled, hidden })),
  inUse: page.all('[aria-busy=true], [aria-disabled=true], [inert], [data-busy]').length,
  focus: page.document.activeElement,
});

/** Waits for everything that follows without a timer, because no call of these pages leaves this process. */
async function settled(): Promise<void> {
  for (let at = 0; at < 200; at += 1) await null;
}

const cookiesOf = ({ document }: OpenPage) =>
  Object.fromEntries(document.cookie.split('; ').map((cookie: string) => cookie.split('='))) as Record<string, string>;

const profile = { email_address: 'ruth@demo.test', phone: null, two_factor_method: null };
const account = accountPage(frame, { profile, sessions: [], signIns: [], ...NOTICES });

test('[PAGE-1, SESSION-1] a choice of colors or keys is stored for this host, marked, and removed with the default', () => {
  for (const [url, prefix] of [
    ['https://staff.test/account', '__Host-'],
    ['http://localhost:4001/account', ''],
  ] as const) {
    const page = openPage(account, ['app'], { url });
    const shown = () => {
      const pressed = new Set(page.all('[data-theme-choice][aria-pressed=true]').map(({ dataset }) => dataset.themeChoice));
      return [[...pressed].join('|'), page.document.documentElement.dataset.theme, cookiesOf(page)[`${prefix}case-theme`]];
    };
    assert.notEqual(cookiesOf(page)[`${prefix}case-zone`], undefined);
    page.get('[data-theme-choice=dark]').click();
    assert.deepEqual(shown(), ['dark', 'dark', 'dark']);
    page.get('[data-theme-choice=light]').click();
    assert.deepEqual(shown(), ['light', 'light', 'light']);
    page.get('[data-theme-choice=""]').click();
    assert.deepEqual(shown(), ['', undefined, undefined]);
    const keys = page.get('[data-single-keys]');
    assert.deepEqual([keys.checked, keys.closest('[hidden]')], [true, null]);
    keys.click();
    assert.equal(cookiesOf(page)[`${prefix}case-keys`], 'off');
    page.run('app');
    assert.equal(keys.checked, false);
    keys.click();
    assert.equal(cookiesOf(page)[`${prefix}case-keys`], undefined);
  }
});

test('[PAGE-1] a password is shown and hidden again, and a form that is being sent says so and is sent once', () => {
  const page = openPage(account, ['app']);
  const [show, field] = [page.get('[data-show-password=new_password]'), page.get('#new_password')];
  const shown = () => [field.type, show.hidden, show.getAttribute('aria-pressed'), show.querySelector('span').textContent];
  const steps = [shown()];
  for (const _ of [1, 2]) {
    show.click();
    steps.push(shown());
  }
  assert.deepEqual(steps, [
    ['password', false, 'false', 'Show'],
    ['text', false, 'true', 'Hide'],
    ['password', false, 'false', 'Show'],
  ]);
  const form = page.get('form[action="/account/password"]');
  for (const input of form.querySelectorAll('input')) input.value = 'long enough words';
  page.send(form);
  const button = form.querySelector('button[type=submit]');
  assert.deepEqual([button.textContent, button.disabled], ['Changing…', true]);
});

test('[TWO-FACTOR-9] a pasted code keeps its six digits, and codes and keys are copied whole', async () => {
  const setup = { secret: 'ABCDEFGH', otpauth_url: 'otpauth://totp/x' };
  const page = openPage(twoFactorPage(frame, { profile, pending: { method: 'app', setup }, refused: undefined }), ['app']);
  const code = page.get('#code');
  assert.equal(page.type('#code', ' 123 456 789').value, '123456');
  const paste = (text: string) => page.fire(code, 'paste', { clipboardData: { getData: () => text } });
  code.value = '';
  assert.equal(paste('Your code is 654-321.'), false, 'the paste is handled');
  assert.equal(code.value, '654321');
  assert.equal(paste('12345'), true, 'something else is left to the browser');
  assert.equal(page.get('[data-copy]').hidden, true, 'a browser that cannot copy');

  const copied: string[] = [];
  const codes = openPage(backupCodesPage(frame, ['aaaaa-11111', 'bbbbb-22222']), []);
  const writeText = async (text: string) => {
    if (copied.push(text) > 1) throw new Error('not allowed');
  };
  codes.window.navigator.clipboard = { writeText };
  codes.run('app');
  const button = codes.get('[data-copy]');
  for (const words of ['Copied', 'Press Ctrl+C']) {
    button.click();
    await settled();
    assert.equal(button.querySelector('span').textContent, words);
  }
  assert.equal(copied[0], 'aaaaa-11111\nbbbbb-22222');
});

test('[OUTBOX-3, PAGE-6] a draft is deleted once it arrived, and all drafts after signing out', () => {
  const key = 'draft:2-chain-7';
  const drafts = { [key]: 'Words', [`${key}:sending`]: '{}', 'draft:2-note-7': 'A note', other: 'x' };
  const opened = openPage('<main></main>', []);
  const { localStorage, sessionStorage } = opened.window;
  const left = (path: string, redirectCount: number, session: Record<string, string> = { 'draft-sent': key }) => {
    opened.goTo(`https://staff.test${path}`);
    opened.window.performance.getEntriesByType = () => [{ redirectCount }];
    localStorage.clear();
    for (const [name, value] of Object.entries(drafts)) localStorage.setItem(name, value);
    for (const [name, value] of Object.entries(session)) sessionStorage.setItem(name, value);
    opened.run('app');
    const { 'draft-sent': sent, 'signing-out': out } = opened.stored('sessionStorage');
    assert.deepEqual([sent, out], [undefined, undefined], 'neither is looked at twice');
    return Object.keys(opened.stored()).sort();
  };
  const all = Object.keys(drafts).sort();
  const others = ['draft:2-note-7', 'other'];
  const arrived = [
    '/messages/7#message-12',
    '/messages/7?write=note#note-5',
    '/disbursements/31?done=created',
    '/disbursements/31?done=changed',
  ];
  for (const path of arrived) {
    assert.deepEqual(left(path, 1), others, path);
    assert.deepEqual(left(path, 0), all, `${path} by going back`);
    assert.deepEqual(left(path, 1, {}), all, `${path} without a sent draft`);
  }
  for (const path of ['/messages/7', '/messages', '/disbursements/31', '/disbursements/31?done=submit', '/login'])
    assert.deepEqual(left(path, 1), all, path);
  const out = { 'signing-out': 'yes' };
  assert.deepEqual(left('/login', 1, out), ['other']);
  assert.deepEqual(left('/account', 1, out), all, 'the session has not ended');
  const page = openPage(account, ['app']);
  page.send(page.get('form[action="/logout"]'));
  assert.equal(page.stored('sessionStorage')['signing-out'], 'yes');
});

test('[LIVE-10, UNREAD-7] the title counts unread messages, and a session that has ended is offered to begin again, once', () => {
  const page = openPage(account, ['app'], { url: 'https://staff.test/cases?q=a' });
  const { title } = page.document;
  const count = (unread: number) => {
    page.get('#unread-badge').dataset.count = String(unread);
    page.fire(page.document, 'htmx:after:swap');
    return page.document.title;
  };
  assert.deepEqual([count(3), count(12), count(0)], [`(3) ${title}`, `(12) ${title}`, title]);
  const fail = (status: number) => {
    const detail = { ctx: { response: { status } } };
    page.document.dispatchEvent(new page.window.CustomEvent('htmx:response:error', { detail }));
    return page.all('.signed-out').map((bar) => bar.querySelector('a').getAttribute('href'));
  };
  for (const status of [403, 404, 429, 500, 503]) assert.deepEqual(fail(status), [], `${status}`);
  for (const _ of [1, 2]) assert.deepEqual(fail(401), ['/login?next=%2Fcases%3Fq%3Da']);
});

const CHAIN = {
  id: 7,
  subject: 'Scan',
  case_id: 4,
  status: 'open',
  assigned_admin_id: 2,
  unread_count: 1,
  participants: [{ user_id: 5, user_type: 'ip', name: 'Pat Parent' }],
  last_message: { id: 12, preview: 'Words', from_type: 'ip', from_id: 5, created_at: NOW },
  created_at: NOW,
};
const chains = (...more: object[]) =>
  chainListPage(frame, {
    chains: more.map((one) => ({ ...CHAIN, ...one })) as never,
    next_cursor: null,
    caseNames: new Map(),
    query: { show: 'all' },
    unassigned: 1,
    cases: [],
    search: undefined,
    problem: undefined,
    done: undefined,
  });
const writes = ({ calls }: OpenPage) => calls.filter(({ method }) => method !== 'GET');

test('[INBOX-2] keys move between conversations, open, close, and mark them, unless one is typing', async () => {
  const markup = chains({ id: 7 }, { id: 8, unread_count: 0, status: 'closed' }, { id: 9 });
  const inbox = (keys = '') => {
    const page = openPage(markup, [], { url: 'https://staff.test/messages?status=open&done=unread' });
    if (keys !== '') page.document.cookie = keys;
    page.run('inbox');
    page.answers.set('GET /messages', { status: 200, body: markup });
    return page;
  };
  const at = ({ document }: OpenPage) => document.activeElement.dataset.chain;
  const page = inbox();
  assert.equal(page.window.location.search, '?status=open', 'a notice is not shown again');
  assert.equal(page.stored('sessionStorage').inbox, '?status=open');
  const moves = ['ArrowDown', 'j', 'j', 'ArrowDown', 'j', 'k', 'ArrowUp', 'k'].map((key) => {
    page.press(key, page.document.activeElement);
    return at(page);
  });
  assert.deepEqual(moves, [undefined, '7', '8', '9', '9', '8', '7', '7']);
  const done = async (key: string, chain: number) => {
    page.calls.length = 0;
    page.get(`[data-chain="${chain}"]`).focus();
    page.press(key, page.document.activeElement);
    await settled();
    assert.notEqual(page.get('#inbox-said').textContent, '');
    const [call] = writes(page);
    const said = page.get('#inbox-said').textContent;
    page.get('#inbox-said').textContent = '';
    return [call?.path, call?.fields, said];
  };
  assert.deepEqual(await done('e', 7), ['/messages/7/status', { status: 'closed' }, 'Closed.']);
  assert.deepEqual(await done('e', 8), ['/messages/8/status', { status: 'open' }, 'Reopened.']);
  assert.deepEqual(await done('u', 7), ['/messages/7/viewed', { up_to_message_id: '12' }, 'Marked as read.']);
  assert.deepEqual(await done('u', 8), ['/messages/8/unread', {}, 'Marked as unread.']);
  page.answers.set('POST /messages/7/status', { status: 503 });
  assert.deepEqual((await done('e', 7))[2], 'That didn’t work. Try again.');
  page.answers.delete('POST /messages/7/status');
  assert.deepEqual((await done('e', 7))[2], 'Closed.', 'the next try works');
  assert.equal(writes(page)[0]?.headers['x-csrf-token'], 'token');

  page.calls.length = 0;
  const search = page.get('input[name=q]');
  for (const modifier of ['ctrlKey', 'metaKey', 'altKey']) page.press('e', page.get('[data-chain="7"]'), { [modifier]: true });
  search.focus();
  page.press('e', search);
  assert.deepEqual(writes(page), []);
  const off = inbox('case-keys=off');
  off.press('j');
  assert.equal(at(off), undefined);
  off.get('[data-chain="7"]').focus();
  off.press('ArrowDown', off.document.activeElement);
  assert.equal(at(off), '8', 'arrows are no single letters');
});

test('[INBOX-2, LIVE-5] after each call that fails, everything on the page can be used as before', async () => {
  const markup = chains({ id: 7 }, { id: 8, unread_count: 0, status: 'closed' });
  const inbox = openPage(markup, ['inbox'], { url: 'https://staff.test/messages' });
  const calls = { e: ['status', 'status'], u: ['viewed', 'unread'] };
  const FAILURES: Answer[] = [{ status: 403 }, { status: 404 }, { status: 409 }, { status: 503 }, 'drop'];
  for (const [key, paths] of Object.entries(calls))
    for (const [at, path] of paths.entries())
      for (const failure of FAILURES) {
        const address = `/messages/${7 + at}/${path}`;
        inbox.answers.set(`POST ${address}`, failure);
        inbox.get(`[data-chain="${7 + at}"]`).focus();
        const before = controlsOf(inbox);
        for (const _ of [1, 2]) {
          inbox.calls.length = 0;
          inbox.get('#inbox-said').textContent = '';
          inbox.press(key, inbox.document.activeElement);
          await settled();
          assert.deepEqual(
            [writes(inbox).map((call) => call.path), inbox.get('#inbox-said').textContent],
            [[address], 'That didn’t work. Try again.'],
          );
          assert.deepEqual(controlsOf(inbox), before);
        }
      }

  const messages = [messageOf(1), messageOf(2, { viewed: null })];
  for (const failure of FAILURES) {
    const page = openPage(chain(messages, { unread_count: 1 }), [], { url: 'https://staff.test/messages/7' });
    for (const address of ['POST /messages/7/viewed', 'POST /messages/7/writing', 'GET /messages/7'])
      page.answers.set(address, failure);
    page.get('#reply').focus();
    const before = controlsOf(page);
    page.run('chain');
    await settled();
    assert.deepEqual(controlsOf(page), before);
    page.fire(page.document, 'visibilitychange');
    page.live('refresh');
    await settled();
    assert.deepEqual(controlsOf(page), before);
    assert.equal(writes(page).filter(({ path }) => path === '/messages/7/viewed').length, 2, 'the mark is tried again');
    page.type('#reply', 'Words');
    const typed = controlsOf(page);
    await settled();
    assert.deepEqual(controlsOf(page), typed);
    page.pass(3001);
    page.type('#reply', 'Words again');
    await settled();
    assert.equal(writes(page).filter(({ path }) => path === '/messages/7/writing').length, 2);
    page.answers.set('GET /messages/7', { status: 200, body: chain([...messages, messageOf(3)]) });
    page.live('message', { chain_id: 7 });
    await settled();
    assert.ok(page.document.querySelector('#message-3'), 'the page is read again');
  }
});

test('[INBOX-2] single keys press buttons and focus fields, unless one is typing or something is open', () => {
  const page = openPage(chains({}), ['keys']);
  const clicks: string[] = [];
  page.get('[data-key="?"]').addEventListener('click', () => clicks.push('?'));
  page.press('?');
  page.press('?', page.document.body, { ctrlKey: true });
  page.press('x');
  assert.deepEqual(clicks, ['?']);
  page.press('/');
  assert.equal(page.document.activeElement.name, 'q');
  page.press('?', page.document.activeElement);
  assert.deepEqual(clicks, ['?'], 'while one is typing');
  page.press('Escape', page.document.activeElement);
  assert.equal(page.document.activeElement, page.document.body);
  page.document.cookie = 'case-keys=off';
  page.press('?');
  assert.deepEqual(clicks, ['?']);
});

const messageOf = (id: number, more: object = {}) => ({
  id,
  chain_id: 7,
  from_id: 5,
  from_type: 'ip',
  from_name: 'Pat Parent',
  message: `Words ${id}`,
  viewed: NOW,
  created_at: new Date(NOW.getTime() - (100 - id) * 600_000),
  retracted_at: null,
  files: [],
  ...more,
});
const chain = (messages: object[], more: object = {}) =>
  mainOf(
    chainPage(frame, {
      chain: { ...CHAIN, unread_count: 0, ...more } as never,
      messages: messages.toReversed() as never,
      notes: [],
      next_cursor: null,
      newest: true,
      caseName: 'Case 4',
      staff: null,
      ownerProblem: null,
      mayReply: true,
      mode: 'reply',
      refused: undefined,
    }),
  );
const openChain = (messages: object[], more: object = {}) =>
  openPage(chain(messages, more), ['chain'], { url: 'https://staff.test/messages/7', session: { inbox: '?show=unread' } });

test('[LIVE-5] an open conversation shows new messages in place, and marks what was seen', async () => {
  const page = openChain([messageOf(1), messageOf(2, { viewed: null })], { unread_count: 1 });
  assert.equal(page.get('#back').search, '?show=unread', 'back to the list as it was left');
  await settled();
  assert.deepEqual(
    writes(page).map(({ path, fields }) => [path, fields]),
    [['/messages/7/viewed', { up_to_message_id: '2' }]],
  );
  assert.equal(writes(page)[0]?.headers['x-background'], '1');
  const first = page.get('#message-1');
  page.answers.set('GET /messages/7', { status: 200, body: chain([messageOf(1), messageOf(2), messageOf(3)]) });
  page.live('message', { chain_id: 8 });
  page.live('message', { chain_id: 7 });
  await settled();
  assert.ok(page.document.querySelector('#message-3'));
  assert.equal(page.calls.filter(({ method }) => method === 'GET').length, 1, 'another conversation changes nothing');
  assert.equal(page.get('#message-1'), first, 'an item stays while nothing of it changes');
  const order = page.all('#timeline > li').map(({ id, className }) => id || className);
  assert.deepEqual(
    order.filter((one) => !one.startsWith('day-2')),
    ['message-1', 'day-separator is-new', 'message-2', 'message-3'],
  );
  assert.equal(page.get('input[name=seen_message_id]').value, '3');
  page.answers.set('GET /messages/7', { status: 200, body: chain([messageOf(1, { retracted_at: NOW }), messageOf(3)]) });
  page.live('chain', { chain_id: 7 });
  await settled();
  assert.equal(page.document.querySelector('#message-2'), null);
  assert.match(page.get('#message-1').textContent, /took back a message/);
  page.answers.set('GET /messages/7', { status: 404 });
  page.live('refresh');
  await settled();
  assert.match(page.get('.signed-out').textContent, /no longer have access/);
});

test('[LIVE-5] a reply of a colleague warns the one who is writing, and no one else', async () => {
  const colleague = { from_id: 3, from_type: 'admin', from_name: 'Olga Owner' };
  const warning = async (text: string, added: object) => {
    const page = openChain([messageOf(1)]);
    page.get('#reply').value = text;
    page.answers.set('GET /messages/7', { status: 200, body: chain([messageOf(1), messageOf(3, added)]) });
    page.live('message', { chain_id: 7 });
    await settled();
    assert.ok(page.document.querySelector('#message-3'));
    return page.get('#answered').textContent;
  };
  assert.equal(await warning('My answer', colleague), 'Olga Owner replied while you were writing. Read it before you send.');
  assert.equal(await warning('  ', colleague), '');
  assert.equal(await warning('My answer', {}), '');
  assert.equal(await warning('My answer', { from_id: 2, from_type: 'admin' }), '', 'one’s own, from another window');
});

test('[LIVE-5] writing is announced at most every three seconds, with its kind, and shown to colleagues for eight', () => {
  const page = openChain([messageOf(1)]);
  const signals = () => writes(page).map(({ path, fields }) => `${path} ${fields.writing}`);
  page.type('#reply', 'a');
  page.pass(3000);
  page.type('#reply', 'ab');
  assert.deepEqual(signals(), ['/messages/7/writing reply']);
  page.pass(1);
  page.type('#note', ' ');
  assert.equal(signals().length, 1, 'nothing was written');
  page.type('#note', 'n');
  assert.deepEqual(signals(), ['/messages/7/writing reply', '/messages/7/writing note']);
  const shown = () => page.get('#writing').textContent;
  page.live('writing', { chain_id: 8, name: 'Olga', writing: 'reply' });
  assert.equal(shown(), '');
  page.live('writing', { chain_id: 7, name: 'Olga', writing: 'reply' });
  assert.equal(shown(), 'Olga is writing a reply…');
  page.pass(7999);
  page.live('writing', { chain_id: 7, name: 'Olga', writing: 'note' });
  page.pass(7999);
  assert.equal(shown(), 'Olga is writing an internal note…');
  page.pass(1);
  assert.equal(shown(), '');
});

test('[BATCH-12] the totals of a new batch follow its boxes, by payee, case, and kind', () => {
  const payment = (id: number, payee_id: number, case_id: number, is_compensation: boolean) => ({
    id,
    payee_id,
    case_id,
    is_compensation,
    payee_name: `Payee ${payee_id}`,
    case_name: `Case ${case_id}`,
    category: 'travel',
    description: '',
    amount_cents: id * 100,
    decided_at: NOW,
    last_four: null,
    usable_from: null,
    problem: null,
  });
  const ready = [payment(1, 5, 1, false), payment(2, 5, 2, true), payment(4, 6, 2, false)];
  const page = openPage(newBatchPage(frame, { ready, choices: undefined, same_day: false, refused: undefined }), ['new-batch']);
  const totals = () => [
    page.get('[data-total-count]').textContent,
    page.get('[data-total-all]').textContent,
    ...page
      .all('[data-total-of]')
      .filter(({ hidden }) => !hidden)
      .map((one) => `${one.dataset.totalOf} ${one.querySelector('.money').textContent}`),
  ];
  const all = [
    '3 payments',
    '$7.00',
    'payee-5 $3.00',
    'payee-6 $4.00',
    'case-1 $1.00',
    'case-2 $6.00',
    'reimbursement $5.00',
    'compensation $2.00',
  ];
  assert.deepEqual(totals(), all);
  const [first, second] = page.all('input[name=disbursement_ids]');
  first.click();
  assert.deepEqual(totals(), [
    '2 payments',
    '$6.00',
    'payee-5 $2.00',
    'payee-6 $4.00',
    'case-2 $6.00',
    'reimbursement $4.00',
    'compensation $2.00',
  ]);
  second.click();
  assert.deepEqual(totals(), ['1 payment', '$4.00', 'payee-6 $4.00', 'case-2 $4.00', 'reimbursement $4.00']);
  first.checked = true;
  second.checked = true;
  page.window.dispatchEvent(new page.window.Event('pageshow'));
  assert.deepEqual(totals(), all, 'a browser that goes back restores the boxes only');
});

/** The form of a new request, or of one that is edited or was rejected. */
const requestForm = (more: object = {}) =>
  mainOf(
    disbursementFormPage(frame, {
      outline: { id: 4, name: 'Case' } as never,
      people: [5, 6].map((user_id) => ({ user_id, user_type: 'surrogate', name: `Person ${user_id}` })) as never,
      benefits: [
        { category: 'Travel', period: 'case', cap_cents: 10_000, used_cents: 0, held_cents: 0, left_cents: 10_000 },
      ] as never,
      categories: ['Travel', 'Other'],
      ...more,
    }),
  );
const values = { amount: '12.50', category: 'Travel', description: 'A ride', payee: 'surrogate:5' };
/** The fields that a person fills in, with their values. */
const typedIn = (page: OpenPage): Record<string, string> =>
  Object.fromEntries(
    [...page.get('form[data-request]').elements]
      .filter(({ name, type }) => name !== '' && type !== 'hidden')
      .map(({ name, value }) => [name, value]),
  );

test('[PAGE-6] each field of the forms of a request is there again after a reload, and starts over', () => {
  for (const more of [{}, { disbursementId: 31, values }]) {
    const form = requestForm(more);
    const reload = (stored: object) => openPage(form, ['request-form'], { stored });
    const initial = typedIn(reload({}));
    const names = Object.keys(initial);
    assert.deepEqual(names, Object.keys(values));
    // Each by itself, because a field that is not watched can be stored together with another one.
    for (const changed of [...names.map((name) => [name]), names]) {
      const page = reload({});
      for (const name of changed) {
        const field = page.get(`[name=${name}]`);
        const choices = [...(field.options ?? [])]
          .map(({ value }: Any) => value)
          .filter((value) => value !== '' && value !== field.value);
        page.type(`[name=${name}]`, choices.at(-1) ?? '43.21');
      }
      const typed = typedIn(page);
      for (const name of names) assert.equal(typed[name] !== initial[name], changed.includes(name), name);
      const again = reload(page.stored());
      assert.deepEqual([typedIn(again), again.get('.draft-kept').hidden], [typed, false], `${changed} after a reload`);
      again.get('[data-start-over]').click();
      assert.deepEqual([typedIn(again), again.stored()], [initial, {}], `${changed} after starting over`);
      assert.equal(again.get('.draft-kept').hidden, true);
    }
  }
});

test('[PAGE-6, CONTRACT-3, IDEMPOTENCY-1] a kept request gives way to a rejected form, and has one key until it changes', () => {
  const KEY = 'draft:request-2-new-4';
  const page = openPage(requestForm(), ['request-form']);
  for (const [name, value] of Object.entries(values)) page.type(`[name=${name}]`, value);
  const stored = page.stored();
  const again = openPage(requestForm(), ['request-form'], { stored });
  assert.match(again.get('#benefit-left').textContent, /\$100\.00 left, \$87\.50 after/);
  again.type('[name=amount]', '120');
  assert.deepEqual(
    [again.get('#benefit-left').textContent.includes('$20.00 over'), again.get('#benefit-left.is-over') !== null],
    [true, true],
  );
  const refused = { action: '/cases/4/disbursements', values: { amount: '9' }, words: 'No.', errors: {}, status: 422, code: 'x' };
  assert.equal(typedIn(openPage(requestForm({ refused }), ['request-form'], { stored })).amount, '9');
  const damaged = openPage(requestForm(), ['request-form'], { stored: { [KEY]: '{' } });
  assert.deepEqual([typedIn(damaged).amount, damaged.stored()], ['', {}]);

  const form = again.get('form[data-request]');
  const key = () => {
    again.send(form);
    return again.get('[name=idempotency_key]').value;
  };
  const first = key();
  assert.equal(again.stored('sessionStorage')['draft-sent'], KEY);
  assert.equal(key(), first);
  again.type('[name=description]', 'Another ride');
  const second = key();
  assert.notEqual(second, first);
  again.get('[data-start-over]').click();
  assert.deepEqual(again.stored(), {}, 'neither the draft nor its key');
});

/** Adds the `DataTransfer` that jsdom lacks: the only way for a script to set the files of a field. */
function addDataTransfer({ window }: OpenPage) {
  window.DataTransfer = class {
    files = Object.assign(window.document.createElement('input'), { type: 'file' }).files;
    items = { add: (file: Any) => implForWrapper(this.files).push(implForWrapper(file)) };
  };
}

/** The writers of messages: one may write to several people at a time, the other one to one. */
const WRITERS = [['view_messages', 'send_group_messages'], ['view_messages']] as const;
const newChain = (permissions: (typeof WRITERS)[number], caseId = 4) =>
  mainOf(
    newChainPage(staffFrame({ permissions, now: NOW }), {
      cases: [{ id: caseId, name: 'Case', status: 'active' }] as never,
      chosen: {
        id: caseId,
        name: 'Case',
        people: [5, 6].map((user_id) => ({ user_id, user_type: 'ip', name: `P${user_id}` })) as never,
      },
      subject: undefined,
      refused: undefined,
    }),
  );
/** Every form whose draft has a key. */
const KEYED_FORMS: Record<string, { markup: () => string; script: string; form: string }> = {
  reply: { markup: () => String(chain([messageOf(1)])), script: 'compose', form: '#reply-form' },
  note: { markup: () => String(chain([messageOf(1)])), script: 'compose', form: '#note-form' },
  'a message to several people': { markup: () => newChain(WRITERS[0]), script: 'compose', form: 'form[data-draft]' },
  'a message to one person': { markup: () => newChain(WRITERS[1]), script: 'compose', form: 'form[data-draft]' },
  request: { markup: () => requestForm(), script: 'request-form', form: 'form[data-request]' },
};

/** A form with something in each of its fields, and what people do with it. */
function filledForm({ markup, script, form: selector }: (typeof KEYED_FORMS)[string], stored = {}) {
  const page = openPage(markup(), [], { stored });
  addDataTransfer(page);
  page.run(script);
  const form = page.get(selector);
  const controls: Any[] = [...form.elements].filter(({ name, type }) => name !== '' && type !== 'hidden');
  const input = controls.find(({ type }) => type === 'file');
  const choose = (...chosen: [name: string, content: string, lastModified: number][]) => {
    const { files, items } = new page.window.DataTransfer();
    for (const [name, content, lastModified] of chosen) items.add(new page.window.File([content], name, { lastModified }));
    input.files = files;
    page.fire(input, 'change');
  };
  const remove = (name: string) => page.get(`[aria-label="Remove ${name}"]`).click();
  const type = (field: Any, value: string) => {
    field.value = value;
    page.fire(field, 'input');
    page.fire(field, 'change');
  };
  for (const field of controls) {
    if (field.type === 'file') choose(['a.pdf', 'x', 1000], ['b.pdf', 'y', 1000]);
    else if (field.tagName === 'SELECT') type(field, [...field.options].find(({ value }: Any) => value !== '').value);
    else if (!isChoice(field)) type(field, field.name === 'amount' ? '12.50' : 'Words');
  }
  controls.find(isChoice)?.click();
  const send = (): string => {
    form.querySelector('[name=idempotency_key]').value = 'of the page';
    page.send(form);
    const { value } = form.querySelector('[name=idempotency_key]');
    assert.notEqual(value, 'of the page');
    return value;
  };
  return { page, form, controls, input, choose, remove, type, send };
}
type FilledForm = ReturnType<typeof filledForm>;
const isChoice = ({ type }: Any) => type === 'checkbox' || type === 'radio';

/** Everything that changes a message or request, by its name. */
function changesOf({ controls, input }: FilledForm): Record<string, (form: FilledForm) => void> {
  const changes: Record<string, (form: FilledForm) => void> = {};
  controls.forEach((field, at) => {
    if (field === input) return;
    const name = `${field.name} ${isChoice(field) ? field.value : ''}`;
    if (field.tagName === 'SELECT')
      for (const { value } of field.options)
        if (value !== '' && value !== field.value) changes[`${name} ${value}`] = (form) => form.type(form.controls[at], value);
    if (isChoice(field)) {
      // Nothing changes when the chosen one of several is chosen again.
      if (field.type === 'checkbox' || !field.checked) changes[name] = (form) => form.controls[at].click();
    } else if (field.tagName !== 'SELECT') {
      for (const value of [field.value.toUpperCase(), `${field.value}1`, '7'])
        if (value !== field.value) changes[`${name} “${value}”`] = (form) => form.type(form.controls[at], value);
    }
  });
  if (input === undefined) return changes;
  const replaced =
    (...file: Parameters<FilledForm['choose']>[0]) =>
    (form: FilledForm) => {
      form.remove('b.pdf');
      form.choose(file);
    };
  return {
    ...changes,
    'a file more': (form) => form.choose(['c.pdf', 'x', 1000]),
    'a file twice': (form) => form.choose(['b.pdf', 'y', 1000]),
    'a file less': (form) => form.remove('b.pdf'),
    'no file': (form) => ['a.pdf', 'b.pdf'].forEach(form.remove),
    'a file of another name': replaced('c.pdf', 'y', 1000),
    'a file of another size': replaced('b.pdf', 'yy', 1000),
    'a file of another date': replaced('b.pdf', 'y', 1001),
  };
}

test('[PAGE-6] the forms above are all whose drafts have keys', () => {
  const cwd = fileURLToPath(new URL('../../apps/admin/', import.meta.url));
  const drafts = globSync('**/*.ts', { cwd, exclude: ['**/*.test.ts', '.built/**'] }).flatMap((file) =>
    [...readFileSync(`${cwd}${file}`, 'utf8').matchAll(/\sdata-(?:draft|request)="\$\{frame\.actor\.user\.id\}-([a-z]*)/g)].map(
      ([, place]) => `${file} ${place}`,
    ),
  );
  assert.deepEqual(drafts.sort(), [
    'disbursements/disbursement-form.ts ',
    'inbox/composer.ts chain',
    'inbox/composer.ts note',
    'inbox/new-chain-page.ts case',
  ]);
});

test('[PAGE-6, IDEMPOTENCY-1] a form has another key after each change of what it says, and only then', () => {
  for (const [name, keyed] of Object.entries(KEYED_FORMS)) {
    const original = filledForm(keyed);
    const key = original.send();
    assert.equal(original.send(), key, `${name}, unchanged`);
    for (const hidden of original.form.querySelectorAll('input[type=hidden]')) {
      hidden.value = `${hidden.value}1`;
      assert.equal(original.send(), key, `${name}, ${hidden.name}`);
    }
    // The fields are filled in again with the same values, as after the answer was lost.
    const again = filledForm(keyed, original.page.stored());
    assert.equal(again.send(), key, `${name}, after a reload`);
    if (again.input !== undefined) {
      again.remove('b.pdf');
      again.choose(['b.pdf', 'y', 1000]);
      assert.equal(again.send(), key, `${name}, with the same file chosen again`);
    }
    const changes = Object.entries(changesOf(original));
    assert.deepEqual(
      original.controls.filter((field) => field !== original.input && !changes.some(([what]) => what.startsWith(field.name))),
      [],
      `each field of ${name} is changed`,
    );
    for (const [what, change] of changes) {
      const form = filledForm(keyed, original.page.stored());
      change(form);
      const other = form.send();
      assert.notEqual(other, key, `${name}, ${what}`);
      assert.equal(form.send(), other, `${name}, ${what}, unchanged since`);
    }
  }
});

test('[PAGE-6, IDEMPOTENCY-1] each draft has its own key', () => {
  const places = [
    KEYED_FORMS.reply,
    KEYED_FORMS.note,
    { markup: () => String(chain([messageOf(1)], { id: 8 })), script: 'compose', form: '#reply-form' },
    KEYED_FORMS['a message to one person'],
    { markup: () => newChain(WRITERS[1], 8), script: 'compose', form: 'form[data-draft]' },
    KEYED_FORMS.request,
    { markup: () => requestForm({ outline: { id: 8, name: 'Case' } }), script: 'request-form', form: 'form[data-request]' },
  ] as (typeof KEYED_FORMS)[string][];
  let stored = {};
  const keys = places.map((place) => {
    const form = filledForm(place, stored);
    const key = form.send();
    stored = form.page.stored();
    return key;
  });
  assert.equal(new Set(keys).size, places.length);
  for (const [at, place] of places.entries()) assert.equal(filledForm(place, stored).send(), keys[at], 'the others left it');
});

test('[UPLOAD-1, FILE-2] files are sent one by one to the storage, and each that fails is named with the reason', async () => {
  const markup = uploadForm(frame, {
    id: 'new',
    label: 'Add',
    path: '/cases/4/documents',
    next: '/cases/4?done=file',
    maxBytes: 5,
  });
  const page = openPage(`<input type="hidden" name="_csrf" value="token">${markup}`, []);
  const sent: [string, string[]][] = [];
  let storage: { status: number; responseText: string } | 'drop' = { status: 204, responseText: '' };
  page.window.XMLHttpRequest = class extends page.window.EventTarget {
    upload = new page.window.EventTarget();
    status = 0;
    responseText = '';
    #url = '';
    open(_: string, url: string) {
      this.#url = url;
    }
    send(body: Any) {
      sent.push([this.#url, [...body.keys()]]);
      if (storage !== 'drop') Object.assign(this, storage);
      (this as Any).dispatchEvent(new page.window.Event(storage === 'drop' ? 'error' : 'load'));
    }
  };
  const target = { upload_url: 'https://store.test/files', upload_fields: { key: 'k', policy: 'p' }, file_key: 'k' };
  page.answers.set('POST /cases/4/documents/upload-url', { status: 200, body: target });
  page.run('uploads');
  const [form, input] = [page.get('form[data-upload]'), page.get('input[type=file]')];
  assert.equal(form.hidden, false);
  const fileOf = (name: string, content = 'x') => new page.window.File([content], name, { type: 'text/plain' });
  // A browser reports no change when the same file is chosen again, unless the field was emptied.
  let chosen: Any[] = [];
  Object.defineProperties(input, {
    files: { get: () => chosen },
    value: { get: () => chosen[0]?.name ?? '', set: () => (chosen = []) },
  });
  const choose = (files: Any[]) => {
    const isChange = files.some(({ name }, at) => chosen[at]?.name !== name);
    chosen = files;
    if (isChange) page.fire(input, 'change');
  };
  const byDrop = (files: Any[]): unknown => page.fire(form, 'drop', { dataTransfer: { files } });
  let take = byDrop;
  const drop = async (...files: Any[]) => {
    page.calls.length = 0;
    sent.length = 0;
    page.opened.length = 0;
    page.get('[role=alert]').textContent = '';
    await take(files);
    await settled();
    assert.ok(page.opened.length > 0 || page.get('[role=alert]').textContent !== '');
    return page.get('[role=alert]').textContent;
  };
  assert.equal(await drop(fileOf('a.txt'), fileOf('b.txt')), '');
  assert.deepEqual(sent, [
    ['https://store.test/files', ['key', 'policy', 'file']],
    ['https://store.test/files', ['key', 'policy', 'file']],
  ]);
  assert.deepEqual(
    page.calls.map(({ path, fields }) => [path, fields]),
    ['a.txt', 'b.txt'].flatMap((filename) => [
      ['/cases/4/documents/upload-url', { filename, content_type: 'text/plain', size: '1' }],
      ['/cases/4/documents/confirm', { file_key: 'k' }],
    ]),
  );
  assert.match(page.opened.join(), /navigation/i, 'the page is loaded again');
  input.disabled = false;
  input.focus();
  const usable = controlsOf(page);
  const error = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
  for (const [answer, words] of [
    [{ status: 400, responseText: error('EntityTooLarge') }, 'This file is too large.'],
    [{ status: 413, responseText: '' }, 'This file is too large.'],
    [{ status: 400, responseText: error('EntityTooSmall') }, 'This file is empty, or it changed after you chose it.'],
    [{ status: 503, responseText: '' }, 'The file storage is busy. Wait a moment and try again.'],
    [{ status: 403, responseText: error('AccessDenied') }, 'The file storage refused it (AccessDenied). Try again.'],
    [{ status: 400, responseText: '' }, 'The file storage refused it. Try again.'],
    ['drop', 'We lost the connection to the file storage. Try again.'],
  ] as const) {
    storage = answer;
    for (const way of [byDrop, choose]) {
      take = way;
      assert.equal(await drop(fileOf('a.txt')), `a.txt: ${words}`);
      assert.ok(page.calls.every(({ path }) => !path.endsWith('/confirm')));
      assert.deepEqual(controlsOf(page), usable);
    }
    take = byDrop;
  }
  take = choose;
  storage = { status: 204, responseText: '' };
  const rest = ' The other files were added. Reload the page to see them.';
  assert.equal(await drop(fileOf('empty.txt', ''), fileOf('b.txt')), `empty.txt: This file is empty.${rest}`);
  page.answers.set('POST /cases/4/documents/confirm', { status: 422, body: { message: '“c.txt” isn’t a text.' } });
  page.answers.set('POST /cases/4/documents/confirm', { status: 422, body: { message: 'c.txt isn’t a text.' } });
  assert.equal(await drop(fileOf('c.txt')), 'c.txt isn’t a text.');
  page.answers.set('POST /cases/4/documents/confirm', { status: 422 });
  assert.equal(await drop(fileOf('c.txt')), 'c.txt: That didn’t work. Try again.');
  assert.deepEqual(controlsOf(page), usable);
  page.answers.set('POST /cases/4/documents/confirm', 'drop');
  assert.equal(await drop(fileOf('c.txt')), 'c.txt: We lost the connection. Try again.');
  assert.deepEqual(controlsOf(page), usable);
});

test('[FILE-9] a picture opens over the page, and a click with a modifier is left to the browser', () => {
  const files = [{ id: 1, url: '/scan', filename: 'scan.png', content_type: 'image/png', size: 5 }] as never;
  const page = openPage(attachments(files), ['pictures']);
  const tile = page.get('a.is-image');
  tile.addEventListener('click', (event: Any) => event.preventDefault());
  for (const modifier of ['ctrlKey', 'metaKey', 'shiftKey']) {
    tile.dispatchEvent(new page.window.MouseEvent('click', { bubbles: true, cancelable: true, [modifier]: true }));
    assert.equal(page.document.querySelector('dialog'), null, modifier);
  }
  tile.click();
  const dialog = page.get('dialog');
  assert.deepEqual(
    [dialog.open, page.get('dialog img').src, page.get('dialog a').href],
    [true, 'https://staff.test/scan', 'https://staff.test/scan'],
  );
  page.get('dialog button').click();
  assert.equal(page.document.querySelector('dialog'), null);
  assert.equal(page.document.activeElement, tile);
});

test('[LIVE-7, LIVE-8, LIVE-9] a page has one stream while it is shown, and reads again what it missed', () => {
  const streams: Any[] = [];
  const page = openPage(account, []);
  page.window.EventSource = class extends page.window.EventTarget {
    static CLOSED = 2;
    readyState = 1;
    url: string;
    constructor(url: string) {
      super();
      this.url = url;
      streams.push(this);
    }
    close() {
      this.readyState = 2;
    }
  };
  let hidden = false;
  Object.defineProperty(page.document, 'hidden', { get: () => hidden });
  const show = (isHidden: boolean) => {
    hidden = isHidden;
    page.fire(page.document, 'visibilitychange');
  };
  const said: string[] = [];
  for (const name of ['refresh', 'message', 'chain', 'case', 'writing', 'unread'])
    page.document.addEventListener(`live:${name}`, ({ detail }: Any) => said.push(`${name} ${JSON.stringify(detail)}`));
  page.document.body.addEventListener('count-unread', () => said.push('count'));
  const heard = () => said.splice(0);
  const send = (name: string, data: object = {}) =>
    streams.at(-1).dispatchEvent(new page.window.MessageEvent(name, { data: JSON.stringify(data) }));
  page.run('live');
  assert.equal(streams.length, 1);
  assert.match(streams[0].url, /^\/messages\/events\?page_age=\d+$/);
  page.fire(streams[0], 'open');
  send('unread', { unread_count: 0 });
  assert.deepEqual(heard(), ['count', 'refresh {}'], 'a stream that did not say that it is current');
  for (const name of ['message', 'chain', 'case', 'writing']) send(name, { chain_id: 7 });
  assert.deepEqual(
    heard(),
    ['message', 'chain', 'case', 'writing'].map((name) => `${name} {"chain_id":7}`),
  );
  send('unread', { unread_count: 0 });
  assert.deepEqual(heard(), [], 'the badge has this number');
  send('unread', { unread_count: 2 });
  assert.deepEqual(heard(), ['count', 'unread {}']);
  send('resync');
  assert.deepEqual(heard(), ['count', 'refresh {}']);
  page.pass(119_000);
  assert.deepEqual(heard(), [], 'beside a stream, a page is read every two minutes');
  page.pass(1000);
  assert.deepEqual(heard(), ['count', 'refresh {}']);

  show(true);
  assert.equal(streams[0].readyState, 2, 'a hidden page has none');
  page.pass(20_000);
  assert.deepEqual(heard(), ['count'], 'and reads only the number');
  show(false);
  assert.deepEqual([streams.length, streams[1].url], [2, '/messages/events'], 'a later one is not about the age of the page');
  heard();

  const [, second] = streams;
  page.fire(second, 'error');
  page.pass(45_000);
  assert.equal(streams.length, 2, 'a browser opens a broken stream again by itself');
  second.readyState = 2;
  page.fire(second, 'error');
  page.pass(14_999);
  assert.equal(streams.length, 2);
  page.pass(30_001);
  assert.equal(streams.length, 3, 'half a wait to one and a half');
  heard();
  send('current');
  send('unread', { unread_count: 0 });
  assert.deepEqual(heard(), [], 'a stream that begins where the page ends');
});
