import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { STREAM_WITHIN_MS } from '@case-platform/lib/browser/page-age';
import { type ComponentProps, createElement } from 'react';
import type { Message } from '../api/api-shapes.ts';
import { showHook, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { RefreshOnChange } = await import('./refresh-on-change.tsx');
const { reportCaseChange, takeStalePages, watchCases } = await import('./case-changes.ts');
const { isLive, setLive } = await import('./live-state.ts');
const { RefreshOnReturn } = await import('../look/refresh-on-return.tsx');
const { RefreshWithUnread } = await import('../home/refresh-with-unread.tsx');
const { useTitleCount } = await import('../shell/use-title-count.ts');
const { useLiveUpdates } = await import('../messages/use-live-updates.ts');
const { keys } = await import('../messages/queries.ts');
const { Clock } = await import('../look/clock.tsx');
const { useCountdown } = await import('../look/use-countdown.ts');
const { ConfirmDialog } = await import('../look/confirm-dialog.tsx');
const { CopyButton } = await import('../look/copy-button.tsx');

const MINUTE = 60_000;
test.beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  // Streams come back after their shortest wait.
  mock.method(Math, 'random', () => 0);
});
test.afterEach(() => {
  mock.restoreAll();
  mock.timers.reset();
  browser.isVisible = true;
  setLive(false);
  takeStalePages();
});
const isReady = (status: number | 'drop') => browser.answers.set('GET /health/ready', status);
const refreshes = () => browser.opened.filter((one) => one === 'refresh').length;

test('[LIVE-5] a page is refreshed for changes of its case only, at most twice a second', async () => {
  setLive(true);
  const page = await showPage(browser, createElement(RefreshOnChange, { caseId: 3 }));
  for (const [caseId, expected] of [
    [4, 0],
    [3, 1],
    [3, 1],
    [null, 1],
  ] as const) {
    await page.settle(() => reportCaseChange(caseId));
    assert.equal(refreshes(), expected, String(caseId));
  }
  await page.settle(() => mock.timers.tick(499));
  assert.equal(refreshes(), 1);
  await page.settle(() => mock.timers.tick(1));
  assert.equal(refreshes(), 2);
  await page.settle(() => mock.timers.tick(5 * MINUTE));
  assert.deepEqual([refreshes(), browser.reads], [2, []], 'a live page neither polls nor asks whether the servers are ready');
  assert.equal(takeStalePages(), true, 'the router may have pages of the other case');
  await page.settle(() => reportCaseChange(null));
  assert.equal(refreshes(), 3, 'any case may have changed');
  await page.settle(() => mock.timers.tick(500));
  await page.show(createElement(RefreshOnChange, {}));
  await page.settle(() => reportCaseChange(4));
  assert.equal(refreshes(), 4, 'a page of all cases is refreshed for each of them');
  assert.equal(takeStalePages(), false);
});

test('[LIVE-5] a refresh that a navigation drops is made up for by the next page, once', async () => {
  setLive(true);
  const page = await showPage(browser, createElement(RefreshOnChange, { caseId: 3 }));
  await page.settle(() => reportCaseChange(3));
  await page.settle(() => reportCaseChange(3));
  await page.close();
  mock.timers.tick(MINUTE);
  assert.equal(refreshes(), 1);
  const next = await showPage(browser, createElement(RefreshOnChange, { caseId: 5 }));
  assert.equal(refreshes(), 2);
  await next.close();
  await showPage(browser, createElement(RefreshOnChange, { caseId: 5 }));
  assert.equal(refreshes(), 2);
  reportCaseChange(3);
  assert.equal(takeStalePages(), true, 'no page that is shown depends on the case');
});

test('[LIVE-5] without live events a visible page is refreshed each minute, if the servers can be reached', async () => {
  isReady(200);
  const page = await showPage(browser, createElement(RefreshOnChange, { caseId: 3 }));
  const minute = async () => {
    browser.forget();
    await page.settle(() => mock.timers.tick(MINUTE));
    return [browser.reads.length, refreshes()];
  };
  assert.deepEqual(await minute(), [1, 1]);
  isReady(503);
  assert.deepEqual(await minute(), [1, 0]);
  isReady('drop');
  assert.deepEqual(await minute(), [1, 0]);
  browser.isOnline = false;
  assert.deepEqual(await minute(), [0, 0]);
  browser.isOnline = true;
  isReady(200);
  browser.isVisible = false;
  assert.deepEqual(await minute(), [0, 0]);
  browser.isVisible = true;
  await page.close();
  assert.deepEqual([browser.reads.length, refreshes()], [0, 0]);
  mock.timers.tick(MINUTE);
  assert.equal(browser.reads.length, 0, 'a page that was left does not poll');
});

test('[FILE-4] a page is refreshed when its reader returns, and before its addresses expire', async () => {
  isReady(200);
  const page = await showPage(browser, createElement(RefreshOnReturn));
  await page.settle(() => mock.timers.tick(29 * MINUTE));
  assert.equal(refreshes(), 0);
  isReady(503);
  await page.settle(() => mock.timers.tick(MINUTE));
  isReady(200);
  await page.settle(() => mock.timers.tick(MINUTE));
  assert.equal(refreshes(), 1, 'a failed refresh is tried again after a minute');
  await page.settle(() => mock.timers.tick(29 * MINUTE));
  assert.equal(refreshes(), 1);
  await page.settle(() => browser.setVisible(false));
  assert.equal(refreshes(), 1);
  await page.settle(() => browser.setVisible(true));
  await page.settle(() => dispatchEvent(new Event('online')));
  assert.equal(refreshes(), 3);
  await page.settle(() => browser.setVisible(false));
  await page.settle(() => mock.timers.tick(31 * MINUTE));
  assert.equal(refreshes(), 3, 'a hidden page waits for its reader');
  await page.close();
  browser.setVisible(true);
  dispatchEvent(new Event('online'));
  assert.equal(refreshes(), 3);
});

test('the home page is refreshed once the number of unread messages differs from the rendered one', async () => {
  isReady(200);
  for (const [count, expected] of [
    [2, 0],
    [3, 1],
  ] as const) {
    browser.answers.set('GET /api/messages/unread/count', { status: 200, body: { unread_count: count } });
    const page = await showPage(browser, createElement(RefreshWithUnread, { rendered: 2 }));
    await page.settle();
    await page.settle();
    assert.equal(refreshes(), expected, String(count));
    await page.close();
  }
});

test('the title begins with the number of unread messages, also after it changes, and goes back to its words', async () => {
  document.title = 'Home';
  const hook = await showHook(browser, useTitleCount, 0 as number);
  for (const [count, title] of [
    [0, 'Home'],
    [3, '(3) Home'],
    [99, '(99) Home'],
    [100, '(99+) Home'],
    [1, '(1) Home'],
  ] as const) {
    await hook.show(count);
    assert.equal(document.title, title);
  }
  const retitle = (title: string) => hook.page.settle(() => Object.assign(document, { title }));
  await retitle('Cases');
  assert.equal(document.title, '(1) Cases');
  await hook.show(0);
  assert.equal(document.title, 'Cases');
  await retitle('');
  assert.equal(document.title, '');
  await hook.page.close();
  await retitle('(2) Other');
  assert.equal(document.title, '(2) Other');
});

/** A stream of events that the test sends. */
function openStream() {
  let push: (text: string) => void = () => {};
  let end = () => {};
  let fail = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      push = (text) => controller.enqueue(new TextEncoder().encode(text));
      end = () => controller.close();
      fail = () => controller.error(new DOMException('Cancelled', 'AbortError'));
    },
  });
  return { response: new Response(body), send: (text: string) => push(text), end: () => end(), fail: () => fail() };
}

const chainMessage = (id: number, chain_id: number) =>
  ({ id, chain_id, message: 'x', files: [], viewed: null }) as unknown as Message;
const event = (name: string, data: object, id?: string) =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Opens a page with live updates. Each connection is a stream that the test has at hand. */
async function follow() {
  const streams: (ReturnType<typeof openStream> & { lastId: string | null; signal: AbortSignal | null | undefined })[] = [];
  let refusal: number | null = null;
  const { fetch } = globalThis;
  Object.assign(globalThis, {
    fetch: async (path: string, init: RequestInit = {}) => {
      if (!/^\/api\/messages\/events(\?page_age=\d+)?$/.test(path)) return fetch(path, init);
      if (refusal !== null) return Response.json({}, { status: refusal });
      const stream = openStream();
      init.signal?.addEventListener('abort', stream.fail);
      streams.push({ ...stream, lastId: new Headers(init.headers).get('last-event-id'), signal: init.signal });
      return stream.response;
    },
  });
  const cases: (number | null)[] = [];
  const unwatch = watchCases((caseId) => {
    cases.push(caseId);
    return true;
  });
  const hook = await showHook(browser, useLiveUpdates, undefined);
  const { client } = hook.page;
  const stale = () =>
    (['unread', 'allChains', 'allOpened'] as const).filter((name) =>
      client
        .getQueryCache()
        .findAll({ queryKey: keys[name] })
        .some(({ state }) => state.isInvalidated),
    );
  const fresh = () => {
    client.setQueryData(keys.unread, { unread_count: 0 });
    client.setQueryData(keys.chains({}), { pages: [], pageParams: [] });
    client.setQueryData(keys.chain(19), { pages: [{ messages: { data: [], next_cursor: null } }], pageParams: [null] });
  };
  return {
    ...hook,
    client,
    streams,
    cases,
    stale,
    fresh,
    refuse: (status: number | null) => {
      refusal = status;
    },
    send: (text: string) => hook.page.settle(() => streams.at(-1)?.signal?.aborted || streams.at(-1)?.send(text)),
    stop: async () => {
      unwatch();
      Object.assign(globalThis, { fetch });
      await hook.page.close();
    },
  };
}

test('[LIVE-1] each event changes its subject, and the first unread count everything that may have been missed', async () => {
  const live = await follow();
  await live.page.settle();
  live.fresh();
  assert.equal(isLive(), true);
  await live.send(event('case', { case_id: 7 }, 'a'));
  assert.deepEqual(live.cases, [], 'the page is about to be read again');
  await live.send(event('unread', { unread_count: 0 }, 'a'));
  assert.deepEqual([live.cases, live.stale()], [[null], ['allChains', 'allOpened']]);
  await live.page.settle(() => mock.timers.tick(500));
  live.fresh();
  await live.send(event('case', { case_id: 8 }, 'b'));
  assert.deepEqual([live.cases, live.stale()], [[null, 8], []]);
  await live.send(event('message', { chain_id: 19, message: chainMessage(4, 19) }));
  const cached = live.client.getQueryData<{ pages: { messages: { data: Message[] } }[] }>(keys.chain(19));
  assert.deepEqual(
    cached?.pages[0]?.messages.data.map(({ id }) => id),
    [4],
  );
  assert.deepEqual(live.stale(), ['allChains']);
  await live.page.settle(() => mock.timers.tick(500));
  live.fresh();
  await live.send(event('unread', { unread_count: 6 }));
  assert.deepEqual([live.client.getQueryData(keys.unread), live.stale()], [{ unread_count: 6 }, ['allChains']]);
  await live.page.settle(() => mock.timers.tick(500));
  live.fresh();
  await live.send(event('chain', { chain_id: 19 }));
  assert.deepEqual(live.stale(), ['allChains', 'allOpened']);
  live.fresh();
  await live.send(event('resync', {}, 'c'));
  assert.deepEqual([live.cases.at(-1), live.stale()], [null, ['unread', 'allChains', 'allOpened']]);
  live.fresh();
  await live.page.settle(() => live.streams[0]?.end());
  assert.equal(isLive(), false);
  await live.page.settle(() => mock.timers.tick(1000));
  assert.deepEqual([live.streams[1]?.lastId, isLive()], ['c', true]);
  await live.send(event('unread', { unread_count: 1 }));
  assert.deepEqual(
    [live.cases.at(-1), live.stale().includes('allOpened')],
    [null, false],
    'messages are repeated, changes of cases are not',
  );
  await live.stop();
  assert.deepEqual([live.streams[1]?.signal?.aborted, isLive()], [true, false]);
});

test('[LIVE-8] a page that its stream calls current at once is not read again, and one that waited for it is', async (t) => {
  const now = performance.now.bind(performance);
  let passed = 0;
  t.mock.method(performance, 'now', () => now() + passed);
  for (const [waited, isRead] of [
    [0, false],
    [STREAM_WITHIN_MS, true],
  ] as const) {
    const live = await follow();
    await live.page.settle();
    live.fresh();
    passed += waited + 1;
    await live.send(event('current', {}, 'a'));
    await live.send(event('case', { case_id: 7 }, 'b'));
    await live.send(event('unread', { unread_count: 0 }, 'b'));
    assert.deepEqual([live.cases, live.stale().includes('allOpened')], [[isRead ? null : 7], isRead]);
    await live.page.settle(() => live.streams[0]?.end());
    await live.page.settle(() => mock.timers.tick(1000));
    await live.send(event('unread', { unread_count: 1 }));
    assert.equal(live.cases.at(-1), null, 'changes may have been missed meanwhile');
    await live.stop();
  }
});

test('[LIVE-7] a hidden tab closes its stream after a minute, and one that is shown opens it after the last event', async () => {
  const live = await follow();
  await live.page.settle();
  await live.send(event('unread', { unread_count: 1 }, 'a'));
  /** The API writes a comment every 20 seconds. */
  const pass = async (time: number) => {
    for (const part of [20_000, 20_000, time - 40_000]) {
      await live.page.settle(() => mock.timers.tick(part));
      await live.send(': \n\n');
    }
  };
  await live.page.settle(() => browser.setVisible(false));
  await pass(MINUTE - 1);
  await live.page.settle(() => browser.setVisible(true));
  await pass(MINUTE - 1);
  assert.deepEqual([live.streams.length, isLive()], [1, true], 'the minute begins again');
  await live.page.settle(() => browser.setVisible(false));
  await pass(MINUTE);
  assert.deepEqual([live.streams[0]?.signal?.aborted, isLive()], [true, false]);
  await live.page.settle(() => browser.setVisible(true));
  assert.deepEqual([live.streams.length, live.streams[1]?.lastId, isLive()], [2, 'a', true]);
  for (const name of ['offline', 'online']) {
    await live.page.settle(() => dispatchEvent(new Event(name)));
    await live.page.settle(() => mock.timers.tick(1000));
  }
  assert.equal(live.streams.length, 4, 'a change of the network opens another connection');
  await live.page.settle(() => browser.setVisible(false));
  await live.stop();
  const count = live.streams.length;
  browser.setVisible(true);
  dispatchEvent(new Event('online'));
  mock.timers.tick(5 * MINUTE);
  assert.equal(live.streams.length, count, 'a page that was left opens nothing');
});

test('[WEB-9] a stream that is rejected for good asks once what that means for the session', async () => {
  const live = await follow();
  await live.page.settle();
  browser.forget();
  live.refuse(404);
  await live.page.settle(() => live.streams[0]?.end());
  await live.page.settle(() => mock.timers.tick(1000));
  await live.page.settle(() => mock.timers.tick(10 * MINUTE));
  assert.deepEqual([browser.reads, isLive()], [['/api/messages/unread/count'], false]);
  await live.stop();
});

test('a countdown follows the clock, stops at zero, and can begin again', async () => {
  const hook = await showHook(browser, useCountdown, 10);
  await hook.page.settle(() => mock.timers.tick(500));
  assert.equal(hook.value[0], 10);
  await hook.page.settle(() => mock.timers.tick(500));
  assert.equal(hook.value[0], 9);
  await hook.page.settle(() => mock.timers.setTime(Date.now() + 7_500));
  await hook.page.settle(() => mock.timers.tick(500));
  assert.equal(hook.value[0], 1, 'a tab in the background does not fall behind');
  await hook.page.settle(() => mock.timers.tick(60_000));
  assert.equal(hook.value[0], 0);
  await hook.page.settle(() => hook.value[1](25));
  assert.equal(hook.value[0], 25);
  await hook.page.settle(() => mock.timers.tick(24_500));
  assert.equal(hook.value[0], 1);
});

test('a dialog cannot be left or confirmed again while its action runs', async () => {
  let [confirmed, closed] = [0, 0];
  const show = (busy: boolean) =>
    createElement(
      ConfirmDialog,
      {
        title: 'T',
        action: 'Do it',
        doing: 'Doing…',
        keep: 'Cancel',
        busy,
        onConfirm: () => (confirmed += 1),
        onClose: () => (closed += 1),
      } as never,
      'Text',
    );
  const page = await showPage(browser, show(true));
  const dialog = page.elements<HTMLDialogElement>(({ tagName }) => tagName === 'DIALOG')[0];
  assert.ok(dialog?.open);
  await page.press('Doing…');
  assert.equal(await page.fire(dialog, 'cancel'), true);
  await page.settle(() => dialog.close());
  assert.deepEqual([confirmed, closed, dialog.open, page.button('Cancel').hasAttribute('disabled')], [0, 0, true, true]);
  await page.show(show(false));
  assert.equal(await page.fire(dialog, 'cancel'), false);
  await page.press('Do it');
  await page.press('Cancel');
  assert.deepEqual([confirmed, closed], [1, 1]);
});

test('a copy button says whether the browser has copied the text', async () => {
  for (const [works, words] of [
    [true, 'Copied'],
    [false, 'Select and copy it yourself'],
  ] as const) {
    const copied: string[] = [];
    const writeText = async (text: string) => (works ? void copied.push(text) : Promise.reject(new Error('no')));
    Object.assign(navigator, { clipboard: { writeText } });
    const page = await showPage(browser, createElement(CopyButton, { text: 'codes', words: 'Copy' }));
    await page.press('Copy');
    assert.deepEqual([page.text, copied], [words, works ? ['codes'] : []]);
    await page.close();
  }
});

test('times follow the device’s zone unless one was chosen, and the clock of the page moves', async () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  for (const [zone, isChosen, stored] of [
    ['Asia/Tokyo', true, false],
    ['Asia/Tokyo', false, true],
    [timeZone, false, false],
  ] as const) {
    browser.removeCookies();
    const page = await showPage(browser, createElement(Clock, { zone, now: 0, isChosen } as ComponentProps<typeof Clock>, 'x'));
    assert.equal(
      browser.cookies.some((one) => one.startsWith('__Host-case-zone=')),
      stored,
      `${zone} ${isChosen}`,
    );
    await page.close();
  }
});
