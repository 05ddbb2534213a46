import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createElement, type UIEvent } from 'react';
import type { Case, Chain, ChainWithMessages, Message, Page } from '../api/api-shapes.ts';
import { type ShownPage, showHook, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';

const browser = startBrowser();
const { ChainView } = await import('./chain-view.tsx');
const { ChainList } = await import('./chain-list.tsx');
const { ChainHeader } = await import('./chain-header.tsx');
const { Retraction } = await import('./retraction.tsx');
const { PictureView } = await import('./picture-view.tsx');
const { NewMessage } = await import('./compose/new-message.tsx');
const { LeftOver } = await import('./compose/left-over.tsx');
const { useViewed } = await import('./use-viewed.ts');
const { useChainScroll } = await import('./use-chain-scroll.ts');
const { Attachments } = await import('./attachments.tsx');
const { useUnread, useChains, useChain, useCases, keys } = await import('./queries.ts');
const { setLive } = await import('../live/live-state.ts');

const ME = { id: 5, name: 'Paige', userType: 'surrogate' } as const;
const READER = { id: 5, type: 'surrogate' };
const message = (id: number, more: object = {}) =>
  ({
    id,
    chain_id: 9,
    message: `Text ${id}`,
    from_id: 1,
    from_type: 'admin',
    from_name: 'Ann',
    files: [],
    viewed: null,
    retracted_at: null,
    client_key: null,
    created_at: '2026-11-26T12:00:00Z',
    ...more,
  }) as unknown as Message;
const own = (id: number, more: object = {}) => message(id, { from_id: 5, from_type: 'surrogate', ...more });
const chain = { id: 9, subject: 'Travel', participants: [], status: 'open', assigned_admin_id: 1 } as unknown as Chain;
const loaded = (messages: Message[], id = 9) =>
  ({ chain: { ...chain, id }, messages: { data: messages, next_cursor: null } }) as unknown as ChainWithMessages;

/** Lists the parts of the cache that are read again when they are next shown. */
const stale = ({ client }: ShownPage) =>
  (['unread', 'allChains', 'allOpened'] as const).filter((name) =>
    client
      .getQueryCache()
      .findAll({ queryKey: keys[name] })
      .some(({ state }) => state.isInvalidated),
  );
const fillCache = ({ client }: ShownPage) => {
  client.setQueryData(keys.unread, { unread_count: 0 });
  client.setQueryData(keys.chains({}), { pages: [], pageParams: [] });
  client.setQueryData(keys.chain(9), { pages: [loaded([message(2), message(1)])], pageParams: [null] });
};

test.afterEach(() => {
  mock.timers.reset();
  browser.isVisible = true;
  setLive(false);
});

test('[UNREAD-6] messages are marked as viewed once they are in sight on a page in the foreground, up to the newest', async () => {
  browser.isVisible = false;
  const watched = (messages: Message[], inSight: boolean) => ({ chainId: 9, messages, reader: READER, inSight });
  const hook = await showHook(browser, useViewed, watched([message(1), message(2)], true));
  fillCache(hook.page);
  assert.deepEqual(browser.changes, []);
  await hook.page.settle(() => browser.setVisible(true));
  const sent = (id: number) => `POST /api/messages/9/viewed {"up_to_message_id":${id}}`;
  assert.deepEqual(browser.changes, [sent(2)]);
  const cached = hook.page.client.getQueryData<{ pages: ChainWithMessages[] }>(keys.chain(9));
  assert.deepEqual(
    cached?.pages[0]?.messages.data.map(({ viewed }) => viewed !== null),
    [true, true],
  );
  assert.deepEqual(stale(hook.page), ['unread', 'allChains'], 'counts and lists are read again');
  await hook.page.settle(() => browser.setVisible(true));
  await hook.show(watched([message(1), message(2), own(3)], false));
  await hook.show(watched([message(1, { viewed: 'x' }), message(2, { viewed: 'x' }), own(3)], true));
  await hook.show(watched([], true));
  assert.equal(browser.changes.length, 1, 'nothing unread is in sight');
  browser.answers.set('POST /api/messages/9/viewed', 503);
  await hook.show(watched([message(4)], true));
  await hook.show(watched([message(4), message(5)], true));
  assert.deepEqual(browser.changes.slice(1), [sent(4), sent(5)], 'a failed mark is made up for by the next one');
  browser.isVisible = false;
  await hook.show(watched([message(4), message(6)], true));
  await hook.page.close();
  browser.setVisible(true);
  assert.equal(browser.changes.length, 3, 'a page that was left marks nothing');
});

test('[UNREAD-6] a conversation is marked as unread after its last mark as viewed, and only its own page leads to the list', async () => {
  const order: string[] = [];
  const show = (leaving: boolean[] = []) =>
    createElement(ChainHeader, {
      chain,
      reader: READER,
      canBeUnread: true,
      onLeave: (isLeaving: boolean) => leaving.push(isLeaving),
    });
  const viewed = Promise.withResolvers<number>();
  browser.answers.set('POST /api/messages/9/viewed', () => viewed.promise);
  const hook = await showHook(browser, useViewed, { chainId: 9, messages: [message(1)], reader: READER, inSight: true });
  const leaving: boolean[] = [];
  const page = await showPage(browser, show(leaving), '/messages/9?q=x');
  browser.answers.set('POST /api/messages/9/unread', () => {
    order.push('unread');
    return 503;
  });
  await page.press('Mark as unread');
  assert.deepEqual([order, leaving, page.button('Mark as unread').hasAttribute('disabled')], [[], [true], true]);
  await page.settle(() => viewed.resolve(200));
  await page.settle();
  assert.deepEqual([order, leaving, browser.opened], [['unread'], [true, false], []]);
  assert.match(page.problems.join(), /We couldn’t mark this conversation as unread/);
  browser.answers.set('POST /api/messages/9/unread', 200);
  fillCache(page);
  await page.press('Try again');
  await page.settle();
  assert.deepEqual(stale(page), ['unread', 'allChains', 'allOpened']);
  assert.deepEqual([leaving, browser.opened, page.problems], [[true, false, true], ['push /messages?q=x'], []]);
  assert.ok(page.button('Mark as unread').disabled, 'the list is loading');
  await page.close();
  browser.forget();
  const late = Promise.withResolvers<number>();
  browser.answers.set('POST /api/messages/9/unread', () => late.promise);
  const other = await showPage(browser, show(), '/messages/9');
  await other.press('Mark as unread');
  await other.close();
  await hook.page.settle(() => late.resolve(200));
  assert.deepEqual(browser.opened, []);
});

interface Scrolled {
  scrollTop: number;
  scrollHeight: number;
  scrollTo?: (place: { top: number }) => void;
}
const onScroll = (element: Scrolled) => ({ currentTarget: element }) as unknown as UIEvent<HTMLDivElement>;

test('a person who has scrolled up keeps their place and sees how many messages of others have come', async () => {
  const list = [message(1), message(2)];
  const hook = await showHook(browser, (messages: Message[]) => useChainScroll(messages, READER), list);
  assert.deepEqual([hook.value.atNewest, hook.value.newCount], [true, 0]);
  await hook.show([...list, message(3)]);
  assert.deepEqual([hook.value.atNewest, hook.value.newCount], [true, 0]);
  const element: Scrolled = { scrollTop: -47, scrollHeight: 1000 };
  hook.value.scroller.current = element as unknown as HTMLDivElement;
  await hook.page.settle(() => hook.value.onScroll(onScroll(element)));
  assert.equal(hook.value.atNewest, true, 'near the newest message counts as there');
  element.scrollTop = -48;
  await hook.page.settle(() => hook.value.onScroll(onScroll(element)));
  assert.equal(hook.value.atNewest, false);
  element.scrollTop = -300;
  await hook.page.settle(() => hook.value.onScroll(onScroll(element)));
  element.scrollHeight = 1100;
  await hook.show([...list, message(3), message(4), own(5)]);
  assert.deepEqual([hook.value.newCount, element.scrollTop], [1, -400]);
  element.scrollHeight = 1600;
  await hook.show([message(0), ...list, message(3), message(4), own(5)]);
  assert.equal(element.scrollTop, -400, 'earlier messages above move nothing');
  element.scrollTo = ({ top }: { top: number }) => {
    element.scrollTop = top;
  };
  await hook.page.settle(() => hook.value.toNewest());
  assert.deepEqual([hook.value.atNewest, hook.value.newCount, element.scrollTop], [true, 0, 0]);
});

test('lists are polled while no live events come, a hidden page polls less often, and a live one not at all', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.parse('2026-11-26T12:00:00Z') });
  browser.answers.set('GET /api/messages/unread/count', { status: 200, body: { unread_count: 2 } });
  browser.answers.set('GET /api/messages', { status: 200, body: { data: [], next_cursor: null } });
  browser.answers.set('GET /api/messages/9', { status: 200, body: loaded([message(1)]) });
  const unread = { unread_count: 1, unread_chains: 1 };
  const [first, list] = [loaded([message(1)]), { data: [], next_cursor: null }];
  const hook = await showHook(
    browser,
    (_: number) => [useUnread(unread).data?.unread_count, useChains({}, list).data, useChain(9, first).data],
    0,
  );
  const during = async (time: number) => {
    browser.forget();
    for (let passed = 0; passed < time; passed += 1000) await hook.page.settle(() => mock.timers.tick(1000));
    return ['/api/messages/unread/count', '/api/messages', '/api/messages/9'].map(
      (path) => browser.reads.filter((one) => one === path).length,
    );
  };
  assert.deepEqual([browser.reads, hook.value[0]], [[], 1], 'what the server has just rendered is not read again');
  assert.deepEqual(await during(60_000), [4, 1, 1]);
  assert.equal(hook.value[0], 2);
  browser.isVisible = false;
  assert.equal((await during(121_000))[0], 2);
  browser.isVisible = true;
  await hook.page.settle(() => setLive(true));
  assert.deepEqual(await during(121_000), [0, 0, 0]);
});

test('[LIVE-5] what the server rendered is read again only after minutes', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') });
  const [unread, list, first] = [{ unread_count: 1, unread_chains: 1 }, { data: [], next_cursor: null }, loaded([message(1)])];
  browser.answers.set('GET /api/messages/unread/count', { status: 200, body: { unread_count: 2 } });
  browser.answers.set('GET /api/messages', { status: 200, body: list });
  browser.answers.set('GET /api/messages/9', { status: 200, body: loaded([message(2), message(1)]) });
  setLive(true);
  const hooks: [path: string, use: (_: number) => unknown][] = [
    ['/api/messages/unread/count', () => useUnread(unread)],
    ['/api/messages', () => useChains({}, list)],
    ['/api/messages/9', () => useChain(9, first)],
  ];
  for (const [path, use] of hooks) {
    /** Shows the page that the router stored, after the cache of answers has forgotten its data. */
    const showAfter = async (ms: number) => {
      mock.timers.tick(ms);
      browser.forget();
      const { page } = await showHook(browser, use, 0);
      await page.settle();
      await page.close();
      return browser.reads;
    };
    assert.deepEqual(await showAfter(0), [], `${path} has just been rendered`);
    assert.deepEqual(await showAfter(4_999), [], `${path} is shown again at once`);
    assert.deepEqual(await showAfter(1), [path], `${path} is old`);
    assert.deepEqual(await showAfter(180_000), [path], `${path} is shown again after minutes`);
  }
});

test('[LIVE-5] an answer is read again only after minutes', async () => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') });
  browser.answers.set('GET /api/messages/unread/count', { status: 200, body: { unread_count: 2 } });
  browser.answers.set('GET /api/messages', { status: 200, body: { data: [], next_cursor: null } });
  browser.answers.set('GET /api/messages/9', { status: 200, body: loaded([message(1)]) });
  browser.answers.set('GET /api/cases', { status: 200, body: { data: [], next_cursor: null } });
  setLive(true);
  const hooks: [path: string, freshMs: number, use: () => unknown][] = [
    ['/api/messages/unread/count', 5_000, () => useUnread(undefined)],
    ['/api/messages', 5_000, () => useChains({}, undefined)],
    ['/api/messages/9', 5_000, () => useChain(9, undefined)],
    ['/api/cases?limit=100', 600_000, () => useCases()],
  ];
  for (const [path, freshMs, use] of hooks) {
    browser.forget();
    const Part = () => {
      use();
      return null;
    };
    const page = await showPage(browser, createElement(Part));
    const showAfter = async (ms: number) => {
      await page.show(createElement('p'));
      mock.timers.tick(ms);
      browser.forget();
      await page.show(createElement(Part));
      await page.settle();
      return browser.reads;
    };
    await page.settle();
    assert.deepEqual(browser.reads, [path]);
    assert.deepEqual(await showAfter(freshMs - 1), [], `${path} is shown again at once`);
    assert.deepEqual(await showAfter(1), [path], `${path} is old`);
    assert.deepEqual(await showAfter(freshMs - 1), [], `${path} was read again`);
    await page.close();
  }
});

test('[CHAIN-12] a conversation that moved up is listed once, and the list says what went wrong', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const row = (id: number, subject: string) =>
    ({
      ...chain,
      id,
      subject,
      last_message: message(1),
      unread_count: 0,
      last_activity_at: '2026-11-26T12:00:00Z',
    }) as unknown as Chain;
  const show = (initial: Page<Chain> | undefined, filter = {}) =>
    createElement(ChainList, { me: ME, filter, initial, emptyText: 'Nothing yet.', keepsFilter: true });
  browser.answers.set('GET /api/messages', {
    status: 400,
    body: { message: 'x', errors: [{ field: 'q', message: 'There is no February 30.' }] },
  });
  const wrong = await showPage(browser, show(undefined, { q: 'before:2026-02-30' }));
  await wrong.settle();
  assert.ok(wrong.text.includes('There is no February 30.'));
  await wrong.close();
  browser.answers.set('GET /api/messages', { status: 429, body: { message: 'Wait a minute.' } });
  const busy = await showPage(browser, show(undefined, { q: 'x' }));
  await busy.settle();
  assert.ok(busy.text.includes('We couldn’t load your messages') && busy.text.includes('Wait a minute.'));
  browser.answers.set('GET /api/messages', { status: 200, body: { data: [], next_cursor: null } });
  await busy.press('Try again');
  await busy.settle();
  assert.deepEqual([busy.text.includes('Nothing yet.'), browser.opened], [true, ['refresh']]);
  await busy.close();
  const page = await showPage(browser, show({ data: [row(1, 'A'), row(2, 'B')], next_cursor: 'c' }));
  browser.answers.set('GET /api/messages', { status: 200, body: { data: [row(1, 'A'), row(3, 'C')], next_cursor: null } });
  await page.press('Show more');
  await page.settle();
  const links = page.elements(({ tagName }) => tagName === 'A').map((one) => one.getAttribute('href'));
  assert.equal(browser.reads.at(-1), '/api/messages?cursor=c');
  assert.deepEqual([links, page.has('Show more')], [['/messages/1', '/messages/2', '/messages/3'], false]);
});

test('[MESSAGE-6] a message is taken back after a confirmation, and a failure keeps the dialog', async () => {
  let closed = 0;
  const long = message(1, { message: 'x'.repeat(81), files: [{}, {}] });
  const page = await showPage(browser, createElement(Retraction, { message: long, onClose: () => (closed += 1) }));
  fillCache(page);
  page.client.setQueryData(keys.chain(9), { pages: [loaded([long])], pageParams: [null] });
  assert.ok(page.text.includes(`“${'x'.repeat(80)}…” and its files will disappear`));
  await page.show(createElement(Retraction, { message: message(1, { files: [{}] }), onClose() {} }));
  assert.ok(page.text.includes(' and its file will disappear'));
  await page.show(createElement(Retraction, { message: long, onClose: () => (closed += 1) }));
  browser.answers.set('DELETE /api/messages/9/1', { status: 409, body: { message: 'Too late.' } });
  await page.press('Take it back');
  await page.settle();
  assert.deepEqual([page.problems, closed], [['Too late.'], 0]);
  browser.answers.set('DELETE /api/messages/9/1', 204);
  await page.press('Take it back');
  await page.settle();
  assert.deepEqual(stale(page), ['allChains']);
  const cached = page.client.getQueryData<{ pages: ChainWithMessages[] }>(keys.chain(9))?.pages[0]?.messages.data[0];
  assert.deepEqual([closed, cached?.message, cached?.files, cached?.retracted_at !== null], [1, '', [], true]);
});

test('the arrow keys move around the pictures of a message, and one that does not load is only its own problem', async () => {
  const pictures = [1, 2, 3].map((id) => ({ id, url: `/${id}`, filename: `${id}.png` })) as never;
  const page = await showPage(browser, createElement(PictureView, { pictures, start: 0, onClose() {} }));
  const dialog = page.elements(({ tagName }) => tagName === 'DIALOG')[0];
  assert.ok(dialog);
  const shown: string[] = [];
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowRight', 'x']) {
    await page.fire(dialog, 'keydown', { key });
    shown.push(page.elements(({ tagName }) => tagName === 'IMG')[0]?.getAttribute('src') ?? '');
  }
  assert.deepEqual(shown, ['/3', '/1', '/2', '/2']);
  assert.ok(page.text.includes('2 of 3'));
  await page.fire(page.elements(({ tagName }) => tagName === 'IMG')[0] as HTMLElement, 'error');
  assert.equal(page.problems.length, 1);
  await page.press('Next picture');
  assert.deepEqual(page.problems, []);
});

const replies = (page: ShownPage) =>
  page.elements((one) => one.getAttribute('class')?.startsWith('message is-mine') === true).map(({ textContent }) => textContent);

test('[OUTBOX-1, MESSAGE-5] a reply is stored until it has arrived, keeps its key on a retry, and returns to the composer to be edited', async () => {
  const page = await showPage(browser, createElement(ChainView, { me: ME, initial: loaded([message(1, { viewed: 'x' })]) }));
  const path = 'POST /api/messages/9';
  const uploads = () => browser.calls.filter((call) => `${call.method} ${call.path}` === path);
  const stored = () => Object.keys(browser.local).filter((key) => key.includes('.outgoing.')).length;
  browser.answers.set(path, { status: 422, body: { message: 'Too long.' } });
  assert.ok(page.button('Send').hasAttribute('disabled'), 'nothing to send');
  await page.type('Message', ' Hello ');
  assert.equal(browser.local.getItem('case-platform.draft.5.9'), ' Hello ');
  await page.press('Send');
  await page.until('the failure', () => page.has('Edit'));
  assert.deepEqual([page.field('Message').value, stored(), browser.local.getItem('case-platform.draft.5.9')], ['', 1, null]);
  assert.match(page.problems.join(), /We couldn’t send this message\. It is saved as a draft\. Too long\./);
  await page.press('Try again');
  await page.until('the second failure', () => uploads().length === 2 && page.has('Edit'));
  await page.type('Message', 'Later');
  await page.press('Edit');
  assert.deepEqual([page.field('Message').value, stored(), replies(page)], ['Hello\n\nLater', 0, []]);
  await page.type('Message', 'Hello');
  const arrived = own(2, { message: 'Hello', client_key: 'k' });
  browser.answers.set(path, { status: 201, body: { message: arrived } });
  browser.answers.set('GET /api/messages/9', { status: 200, body: loaded([arrived, message(1, { viewed: 'x' })]) });
  await page.press('Send');
  await page.until('it has arrived', () => stored() === 0 && page.has('Take back'));
  const sentKeys = uploads().map(({ headers }) => headers.get('idempotency-key'));
  assert.deepEqual([new Set(sentKeys).size, uploads().at(-1)?.body], [1, { message: 'Hello' }], 'it may have arrived before');
});

test('[OUTBOX-2] a reply waits while the browser is offline, and goes when the network is back', async () => {
  browser.isOnline = false;
  browser.answers.set('POST /api/messages/10', 'drop');
  const page = await showPage(browser, createElement(ChainView, { me: { ...ME, id: 6 }, initial: loaded([], 10) }));
  await page.type('Message', 'Hello');
  await page.press('Send');
  await page.until('it waits', () => page.text.includes('You’re offline. We’ll send it when you’re back online.'));
  browser.answers.set('POST /api/messages/10', {
    status: 201,
    body: { message: own(3, { chain_id: 10, from_id: 6, message: 'Hello' }) },
  });
  browser.isOnline = true;
  await page.settle(() => dispatchEvent(new Event('online')));
  await page.until('it has arrived', () => !page.text.includes('offline'));
  assert.equal(browser.calls.filter(({ method }) => method === 'POST').length, 2);
});

test('a composer sends only a text that fits, with the keyboard too, and takes files in three ways', async () => {
  browser.answers.set('POST /api/messages/11', () => new Promise(() => {}));
  const page = await showPage(browser, createElement(ChainView, { me: { ...ME, id: 7 }, initial: loaded([], 11) }));
  const sent = () => browser.calls.filter(({ method }) => method === 'POST').length;
  const press = (more: object) =>
    page.fire(page.field('Message'), 'keydown', { key: 'Enter', metaKey: false, ctrlKey: false, ...more });
  await page.type('Message', '  ');
  await press({ ctrlKey: true });
  await page.type('Message', '😀'.repeat(10_001));
  assert.match(page.problems.join(), /1 character too long/);
  await press({ ctrlKey: true });
  assert.equal(sent(), 0);
  await page.type('Message', '😀'.repeat(10_000));
  assert.deepEqual([page.problems, await press({}), sent()], [[], false, 0]);
  const file = (name: string) => new File(['x'], name, { type: 'text/plain' });
  await page.choose('Files to attach', file('a.pdf'), file('a.exe'));
  const composer = page.elements((one) => one.getAttribute('class') === 'composer')[0] as HTMLElement;
  assert.equal(await page.fire(composer, 'dragover', { dataTransfer: { types: ['text/plain'], files: [] } }), false);
  assert.equal(await page.fire(composer, 'dragover', { dataTransfer: { types: ['Files'], files: [] } }), true);
  await page.fire(composer, 'drop', { dataTransfer: { types: ['Files'], files: [file('b.pdf')] } });
  assert.equal(
    await page.fire(page.field('Message'), 'paste', { clipboardData: { files: [] } }),
    false,
    'a text is pasted by the browser',
  );
  assert.equal(await page.fire(page.field('Message'), 'paste', { clipboardData: { files: [file('c.pdf')] } }), true);
  assert.deepEqual(
    ['a', 'b', 'c'].map((name) => page.has(`Remove ${name}.pdf`)),
    [true, true, true],
  );
  await page.press('Remove a.pdf');
  await page.choose('Files to attach', file('a.pdf'));
  assert.ok(page.has('Remove a.pdf'), 'a file that was removed can be chosen again');
  await page.press('Remove b.pdf');
  assert.deepEqual([await press({ metaKey: true }), page.has('Remove a.pdf')], [true, false]);
  await page.until('it is being sent', () => sent() === 1);
});

test('[CHAIN-20, CHAIN-9] a new message goes to the chosen people of its case, and the first one is sent once', async () => {
  const cases = [
    { id: 3, name: 'Case 3' },
    { id: 4, name: 'Case 4' },
  ] as Case[];
  const people = { status: 200, body: { data: [{ user_type: 'surrogate', user_id: 8, name: 'Rosa' }] } };
  browser.answers.set('GET /api/messages/recipients', people);
  const staff = await showPage(
    browser,
    createElement(NewMessage, { me: { ...ME, id: 2, userType: 'admin' }, cases, wantedCase: 4 }),
  );
  await staff.settle();
  assert.deepEqual([browser.reads, staff.field('Case').value], [['/api/messages/recipients?case_id=4'], '4']);
  await staff.type('Message', 'Hi');
  await staff.press('Send');
  assert.deepEqual([staff.problems.some((one) => one.startsWith('Choose who should receive')), browser.changes], [true, []]);
  await staff.check('RosaSurrogate');
  assert.equal(staff.problems.length, 0);
  await staff.type('Case', '3');
  await staff.settle();
  await staff.press('Send');
  assert.deepEqual(browser.changes, [], 'the chosen people belonged to the other case');
  await staff.check('RosaSurrogate');
  await staff.type('Subject', 'Plans');
  assert.equal(browser.local.getItem('case-platform.draft.2.new-subject'), 'Plans');
  browser.answers.set('POST /api/messages', { status: 422, body: { message: 'No.' } });
  await staff.press('Send');
  await staff.until('the failure', () => staff.text.includes('We couldn’t send this message'));
  assert.equal(
    Object.keys(browser.local).some((key) => key.includes('.outgoing.')),
    false,
    'it stays a draft, and no other page sends it',
  );
  browser.answers.set('POST /api/messages', { status: 201, body: { chain: { id: 12 }, message: message(1) } });
  await staff.press('Try again');
  await staff.until('the conversation opens', () => browser.opened.length > 0);
  assert.ok(staff.button('Sending…').hasAttribute('disabled'), 'the page is being left');
  const posts = browser.calls.filter(({ method }) => method === 'POST');
  assert.deepEqual(posts.at(-1)?.body, {
    message: 'Hi',
    subject: 'Plans',
    case_id: '3',
    recipients: '[{"user_type":"surrogate","user_id":8}]',
  });
  assert.equal(new Set(posts.map(({ headers }) => headers.get('idempotency-key'))).size, 1);
  assert.deepEqual([browser.opened, Object.keys(browser.local)], [['replace /messages/12'], []]);
});

test('[CHAIN-9] without a choice a message goes to the escrow specialist, who is chosen again with the last other person', async () => {
  const people = [8, 9].map((user_id) => ({ user_type: 'surrogate', user_id, name: `P${user_id}` }));
  browser.answers.set('GET /api/messages/recipients', { status: 200, body: { data: people } });
  const page = await showPage(
    browser,
    createElement(NewMessage, { me: { ...ME, id: 10 }, cases: [{ id: 3, name: 'C' }] as Case[], wantedCase: 99 }),
  );
  await page.settle();
  await page.press('Write to other people on this case');
  const isDefault = () => page.elements<HTMLInputElement>((one) => one.type === 'checkbox')[0]?.checked;
  await page.check('P8Surrogate');
  assert.equal(isDefault(), false);
  await page.check('P9Surrogate');
  await page.check('P8Surrogate');
  assert.equal(isDefault(), false);
  await page.check('P9Surrogate');
  assert.equal(isDefault(), true);
});

test('[OUTBOX-1] messages that an earlier page left unsent are sent on any page, and again when the network comes back', async () => {
  browser.answers.set('POST /api/messages/31', { status: 201, body: { message: { id: 1, chain_id: 31, files: [] } } });
  const store = (userId: number) =>
    browser.local.setItem(
      `case-platform.draft.${userId}.31.outgoing.k`,
      JSON.stringify({ key: 'k', text: 'Hello', fileNames: [], startedAt: new Date().toISOString(), underWay: true }),
    );
  store(41);
  const page = await showPage(browser, createElement(LeftOver, { userId: 41 }));
  await page.until('it is sent', () => browser.changes.length === 1);
  assert.equal(browser.calls.find(({ method }) => method === 'POST')?.headers.get('idempotency-key'), 'k');
  await page.close();
  browser.forget();
  const other = await showPage(browser, createElement(LeftOver, { userId: 42 }));
  assert.deepEqual(browser.calls, [], 'another person’s messages are not sent');
  store(42);
  await other.settle(() => dispatchEvent(new Event('online')));
  await other.until('it is sent', () => browser.changes.length === 1);
});

test('[CHAIN-13] earlier messages are read from where the shown ones begin, and only news of others is announced', async () => {
  const page = await showPage(
    browser,
    createElement(ChainView, {
      me: { ...ME, id: 60 },
      initial: {
        ...loaded([message(3, { viewed: 'x' })], 14),
        messages: { data: [message(3, { viewed: 'x' })], next_cursor: 'a+b' },
      },
    }),
  );
  const announced = () => page.elements((one) => one.getAttribute('role') === 'log')[0]?.textContent;
  browser.answers.set('GET /api/messages/14', { status: 200, body: loaded([message(2, { viewed: 'x' })], 14) });
  await page.press('Show earlier messages');
  await page.settle();
  assert.equal(browser.reads.at(-1), '/api/messages/14?cursor=a%2Bb');
  assert.deepEqual([page.text.includes('Text 2'), page.has('Show earlier messages'), announced()], [true, false, '']);
  for (const [newest, words] of [
    [message(4, { viewed: 'x' }), 'Ann: Text 4'],
    [own(5, { from_id: 60 }), ''],
    [message(6, { viewed: 'x', retracted_at: 'x' }), ''],
    [message(7, { viewed: 'x' }), 'Ann: Text 7'],
  ] as const) {
    await page.settle(() =>
      page.client.setQueryData(keys.chain(14), (data: { pages: ChainWithMessages[]; pageParams: unknown[] } | undefined) => ({
        pages: [loaded([newest, message(3, { viewed: 'x' })], 14)],
        pageParams: data?.pageParams.slice(0, 1),
      })),
    );
    await page.settle();
    assert.equal(announced(), words);
  }
});

test('[OUTBOX-1] a reply is shown once while its answer is on the way, also one that failed before', async () => {
  for (const [answer, chainId] of [
    [() => new Promise<number>(() => {}), 15],
    [{ status: 500, body: { message: 'Words.' } }, 16],
  ] as const) {
    browser.forget();
    browser.answers.set(`POST /api/messages/${chainId}`, answer);
    const page = await showPage(browser, createElement(ChainView, { me: { ...ME, id: 61 }, initial: loaded([], chainId) }));
    await page.type('Message', 'Hello');
    await page.press('Send');
    const post = () => browser.calls.find(({ method }) => method === 'POST');
    await page.until('it is being sent', () => post() !== undefined && (chainId === 15 || page.has('Edit')));
    const arrived = own(5, { from_id: 61, message: 'Hello', client_key: post()?.headers.get('idempotency-key') });
    await page.settle(() =>
      page.client.setQueryData(keys.chain(chainId), { pages: [loaded([arrived], chainId)], pageParams: [null] }),
    );
    await page.settle();
    assert.deepEqual([page.text.split('Hello').length - 1, page.has('Edit')], [1, false], String(chainId));
    assert.equal(
      Object.keys(browser.local).some((key) => key.includes(`.${chainId}.outgoing.`)),
      chainId === 15,
      'what has arrived is not sent by another page',
    );
    await page.close();
  }
});

test('a picture among the files of a message opens as itself, and the others are downloaded', async () => {
  const file = (id: number, content_type: string) =>
    ({ id, url: `/${id}`, filename: `${id}.x`, size: 1, content_type }) as unknown as Message['files'][number];
  const files = [file(1, 'application/pdf'), file(2, 'image/png'), file(3, 'image/heic'), file(4, 'image/jpeg')];
  const page = await showPage(browser, createElement(Attachments, { files }));
  const links = page.elements(({ tagName }) => tagName === 'A').map((one) => one.getAttribute('href'));
  assert.deepEqual(links, ['/1', '/3']);
  for (const [at, words] of [
    [0, '2.x1 of 2'],
    [1, '4.x2 of 2'],
  ] as const) {
    await page.fire(
      page.elements((one) => one.textContent.startsWith('Show larger') && one.tagName === 'BUTTON')[at] as HTMLElement,
      'click',
    );
    await page.until('the picture', () => page.has('Close the picture'));
    assert.ok(page.text.includes(words), page.text);
    await page.press('Close the picture');
  }
});

test('[OUTBOX-3] the subject of a new message is brought back, and people who could not be loaded are loaded again', async () => {
  browser.answers.set('GET /api/messages/recipients', { status: 403, body: { message: 'x' } });
  browser.local.setItem('case-platform.draft.62.new-subject', 'Plans');
  const cases = [{ id: 3, name: 'Case 3' }] as Case[];
  const page = await showPage(
    browser,
    createElement(NewMessage, { me: { ...ME, id: 62, userType: 'admin' }, cases, wantedCase: 3 }),
  );
  await page.settle();
  assert.equal(page.field('Subject').value, 'Plans');
  assert.ok(page.text.includes('We couldn’t load the people on this case.'));
  for (const [data, words] of [
    [[], 'There’s no one on this case you can write to.'],
    [[{ user_type: 'surrogate', user_id: 8, name: 'Rosa' }], 'RosaSurrogate'],
  ] as const) {
    browser.answers.set('GET /api/messages/recipients', { status: 200, body: { data } });
    if (data.length === 0) await page.press('Try again');
    else await page.settle(() => page.client.refetchQueries());
    await page.settle();
    assert.ok(page.text.includes(words), page.text);
  }
});
