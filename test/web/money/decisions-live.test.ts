import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { disbursementStateInWords } from '@case-platform/words/disbursement-states';
import type { Locator, Request } from 'playwright-core';
import { openPage } from '../../support/browser.ts';
import { CAST } from '../../support/cast.ts';
import { eventually } from '../../support/eventually.ts';
import { arrive, type WatchedPage } from '../../support/stack/arrive.ts';
import { useRealStack } from '../../support/stack/shared-stack.ts';
import { alive, passTime } from '../alive.ts';
import { says, seen } from './seen.ts';

const stack = await useRealStack(['admin', 'worker']);
const { webUrl } = stack;
const surrogate = await arrive(stack, 'surrogate', { path: null });
/** Without a service worker, because its requests would bypass the routes that the tests set up. */
const PAST_NOTHING = { serviceWorkers: 'block' } as const;
const APPROVED = disbursementStateInWords('approved').words;

/** Creates and submits a request that waits for the parent. @returns its path. */
async function ask(cents: number, description: string): Promise<string> {
  const data = { amount_cents: cents, category: 'Medical', description };
  const made = await surrogate.request.post(`${webUrl}/api/cases/1/disbursements`, { data });
  const path = `/disbursements/${(await made.json()).id}`;
  await send(path);
  return path;
}

async function send(path: string): Promise<void> {
  const answer = await surrogate.request.post(`${webUrl}/api${path}/submit`, { data: {} });
  assert.equal(answer.status(), 200, await answer.text());
}

const decisionOf = (page: WatchedPage, path: string): Locator =>
  page.getByRole('article').filter({ has: page.locator(`a[href="${path}"]`) });
const question = (page: WatchedPage): Locator => page.locator('dialog[open]');
const approve = (part: Locator): Locator => part.getByRole('button', { name: /^Approve/ });

/** Collects the addresses of the approvals that a page sends. */
function approvalsOf(page: WatchedPage): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/approve')) paths.push(request.url());
  });
  return paths;
}

/** Records in a page when it first shows that a request is approved. */
const watchApproval = (page: WatchedPage) =>
  page.evaluate(`new MutationObserver(() => {
    const pill = document.querySelector('main .state-pill')?.textContent;
    if (pill === ${JSON.stringify(APPROVED)}) globalThis.approvedAt ??= Date.now();
  }).observe(document.body, { subtree: true, childList: true, characterData: true })`);

test('[LIVE-5] a decision in one tab appears in the others at once', async (context: TestContext) => {
  const path = await ask(2_350, 'Vitamins');
  const deciding = await arrive(stack, 'parent', { path });
  await surrogate.goto(webUrl + path);
  await watchApproval(surrogate);
  const away = await openPage(deciding.context());
  await away.goto(webUrl + path);
  await (await alive(away.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Messages/ }))).click();
  await away.waitForURL(`${webUrl}/messages`);
  const pressedAt = Date.now();
  await approve(deciding.locator('main')).click();
  for (const page of [deciding, surrogate]) await says(page.locator('main .state-pill'), APPROVED);
  context.diagnostic(`after ${(await surrogate.evaluate<number>('globalThis.approvedAt')) - pressedAt} ms`);
  // The router has this page from before the decision.
  await away.goBack();
  await says(away.locator('main .state-pill'), APPROVED);
  for (const page of [deciding, away, surrogate]) assert.deepEqual(page.faults, []);
  await deciding.context().close();
});

/** Collects the requests with which a page has itself rendered again. */
function renderingsOf(page: WatchedPage): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    const { rsc, 'next-router-prefetch': isAhead } = request.headers();
    if (rsc !== undefined && isAhead === undefined && new URL(request.url()).pathname === new URL(page.url()).pathname)
      requests.push(request.url());
  });
  return requests;
}

test('[LIVE-5, PAGE-5] a change between rendering a page and opening its stream appears, and is rendered once', async () => {
  const path = await ask(2_710, 'Nursing pillow');
  const parent = await arrive(stack, 'parent', { path, ...PAST_NOTHING });
  const late = await openPage(parent.context());
  const gate = Promise.withResolvers<void>();
  await late.route('**/api/messages/events*', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await late.goto(webUrl + path);
  await seen(approve(late.locator('main'))).waitFor();
  const renderings = renderingsOf(late);
  const opened = late.waitForResponse('**/api/messages/events*');
  await approve(parent.locator('main')).click();
  await says(parent.locator('main .state-pill'), APPROVED);
  assert.deepEqual(renderings, [], 'nothing has reached this page');
  gate.resolve();
  await opened;
  await says(late.locator('main .state-pill'), APPROVED);
  assert.equal(renderings.length, 1);

  // The next change is rendered once too.
  await ask(2_720, 'Nursing bra');
  await eventually('it is rendered again', () => renderings.length > 1);
  assert.equal(renderings.length, 2);
  await parent.context().close();
});

test('[LIVE-8] a page to which nothing has happened is not rendered again when its stream opens', async () => {
  const path = await ask(2_730, 'Nursing top');
  const parent = await arrive(stack, 'parent', { path: null, ...PAST_NOTHING });
  const { rows } = await stack.pool.query('select id::int from user_account where email_address = $1', [
    CAST.parent.email_address,
  ]);
  const recipients = JSON.stringify([{ user_type: CAST.parent.user_type, user_id: rows[0].id }]);
  const multipart = { message: 'A few words.', case_id: '1', recipients };
  // The request was made a moment before the page is opened for the first time.
  await eventually('nothing is rendered again', async () => {
    const page = await openPage(parent.context());
    const renderings = renderingsOf(page);
    const opened = page.waitForResponse('**/api/messages/events*');
    await page.goto(webUrl + path);
    await opened;
    const count = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
    const before = await count();
    const answer = await surrogate.request.post(`${webUrl}/api/messages`, { multipart });
    assert.equal(answer.status(), 201, await answer.text());
    await eventually('the message is counted', async () => (await count()) > before);
    await page.close();
    return renderings.length === 0;
  });
  await parent.context().close();
});

test('[PAGE-4] a page that cannot be rendered again stays as it is and keeps what is being typed', async () => {
  const parent = await arrive(stack, 'parent', { path: null, ...PAST_NOTHING });
  await parent.clock.install();
  await parent.route('**/api/messages/events*', (route) => route.abort());
  await parent.route('**/health/ready', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await parent.goto(webUrl + (await ask(1_230, 'Raspberry leaf tea')));
  const words = parent.getByLabel(/about this request$/);
  await (await alive(words)).fill('From which shop?');
  let renderings = renderingsOf(parent);

  // The API is away for the first of these minutes.
  const probe = parent.waitForResponse('**/health/ready');
  await passTime(parent, 61_000);
  assert.equal((await probe).status(), 503);
  for (const ms of [1_000, 60_000]) await passTime(parent, ms);
  await eventually('it is rendered again', () => renderings.length > 0);
  assert.equal(renderings.length, 1);
  assert.equal(await words.inputValue(), 'From which shop?');

  // The page is shown again while the device is offline.
  await parent.context().setOffline(true);
  await parent.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  renderings = renderingsOf(parent);
  await parent.context().setOffline(false);
  await eventually('it is rendered again', () => renderings.length > 0);
  assert.equal(await words.inputValue(), 'From which shop?');
  await parent.context().close();
});

test('[PAGE-4, REQUEST-6] two taps on Approve approve once, and neither undo it nor approve the next request', async () => {
  const [first, second] = [await ask(1_975, 'Compression socks'), await ask(2_080, 'Heating pad')];
  const parent = await arrive(stack, 'parent', { viewport: { width: 390, height: 844 } });
  const approvals = approvalsOf(parent);
  await approve(decisionOf(parent, first)).dblclick();
  await says(decisionOf(parent, first), /Approved\./);
  assert.equal(approvals.length, 1);
  await approve(decisionOf(parent, second)).waitFor();
  const now = await (await parent.request.get(`${webUrl}/api${first}`)).json();
  assert.equal(now.status, 'approved');
  assert.deepEqual(parent.faults, []);
  await parent.context().close();
});

test('[PAGE-4] a decision that is under way cannot be cancelled: its dialog stays and says so', async () => {
  const path = await ask(1_420, 'Ginger tablets');
  const parent = await arrive(stack, 'parent', { path, ...PAST_NOTHING });
  const gate = Promise.withResolvers<void>();
  let denials = 0;
  await parent.route('**/deny', async (route) => {
    denials += 1;
    await gate.promise;
    await route.continue();
  });
  const deny = (part: Locator) => part.getByRole('button', { name: /^Deny/ });
  await (await alive(deny(parent.locator('main')))).click();
  await question(parent).getByLabel('Reason').fill('Not agreed');
  const color = (button: Locator) => button.evaluate('(element) => getComputedStyle(element).color');
  const readable = await color(deny(question(parent)));
  await deny(question(parent)).click();
  const underWay = question(parent).getByRole('button', { name: 'Denying…' });
  await underWay.waitFor();
  await eventually('its text is as easy to read', async () => (await color(underWay)) === readable);
  assert.ok(await question(parent).getByRole('button', { name: 'Cancel' }).isDisabled());
  // The button still has the focus.
  await parent.keyboard.press('Enter');
  for (let presses = 0; presses < 3; presses += 1) await parent.keyboard.press('Escape');
  await question(parent).getByRole('button', { name: 'Denying…' }).waitFor();
  gate.resolve();
  await question(parent).waitFor({ state: 'detached' });
  assert.equal(denials, 1, 'nothing was sent a second time');
  await says(parent.locator('main .state-pill'), disbursementStateInWords('denied').words);
  await parent.context().close();
});

test('[HOME-5, REQUEST-19] a decision from home says what happened, moves to the next request, and can be undone or asked about first', async () => {
  const [first, second] = [await ask(2_910, 'Parking at the clinic'), await ask(3_020, 'Pregnancy pillow')];
  const parent = await arrive(stack, 'parent');
  const focused = () => parent.evaluate<string>('document.activeElement?.id ?? ""');
  const statusOf = async (path: string) => (await (await parent.request.get(`${webUrl}/api${path}`)).json()).status;
  // A question opens the conversation about the request, which keeps waiting.
  await (await alive(decisionOf(parent, first).getByRole('button', { name: 'Ask Sarah' }))).click();
  await question(parent).getByLabel('Your question').fill('Which garage was it?');
  await question(parent).getByRole('button', { name: 'Send question' }).click();
  await parent.waitForURL(/\/messages\/\d+$/);
  await seen(parent.getByText('Which garage was it?')).waitFor();
  assert.equal(await statusOf(first), 'submitted');
  await parent.goto(webUrl);

  // The newest request comes first, and the next one follows it.
  await (await alive(approve(decisionOf(parent, second)))).click();
  const outcome = decisionOf(parent, second);
  await says(outcome, /Approved\. \$30\.20 is set aside/);
  await seen(parent.getByRole('status').filter({ hasText: 'You can undo this for ten seconds.' })).waitFor();
  await eventually('the next request has the focus', async () => (await focused()) === `decision-${first.split('/').at(-1)}`);
  assert.equal(await statusOf(second), 'approved');

  // The live update about the approval removes it from the list, and what happened stays.
  const undo = outcome.getByRole('button', { name: 'Undo the approval of $30.20' });
  // A tap right after the decision is ignored, because it may be the second one of a double tap.
  await eventually('it is undone', async () => {
    if (await undo.isVisible()) await undo.click({ timeout: 1000 }).catch(() => undefined);
    return (await approve(decisionOf(parent, second)).count()) > 0;
  });
  await eventually('the request has the focus again', async () => (await focused()) === `decision-${second.split('/').at(-1)}`);
  assert.equal(await statusOf(second), 'submitted');

  // Nothing is lost when the page is left right after the tap.
  const approvals = approvalsOf(parent);
  await eventually('it is sent', async () => {
    await approve(decisionOf(parent, first)).click();
    return approvals.length > 0;
  });
  await parent.goto('about:blank');
  const readStatus = async () => (await (await surrogate.request.get(`${webUrl}/api${first}`)).json()).status;
  await eventually('the approval has arrived', async () => (await readStatus()) === 'approved');
  await parent.context().close();
});

test('[TIMELINE-1] the activity of a case has no gap after a change and shows the last chosen kind', async () => {
  const parent = await arrive(stack, 'parent', { path: '/cases/1', ...PAST_NOTHING });
  const activity = parent.getByRole('region', { name: 'Activity' });
  const shown = () => activity.locator('.timeline-item a').allTextContents();
  const readFromApi = async (kind: string): Promise<string[]> => {
    const answer = await parent.request.get(`${webUrl}/api/cases/1/timeline?limit=100${kind}`);
    const { data } = (await answer.json()) as { data: { text: string }[] };
    return data.map(({ text }) => text);
  };
  await activity.getByRole('button', { name: 'Show earlier' }).click();
  await eventually('earlier ones are shown', async () => (await shown()).length > 10);
  await ask(1_111, 'Prenatal yoga');
  await seen(activity.getByText(/Prenatal yoga/)).waitFor();
  const all = await shown();
  assert.deepEqual(all, (await readFromApi('')).slice(0, all.length));

  // The answer for the first choice arrives last.
  const [gate, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const isHeld = (url: URL) => url.pathname.endsWith('/timeline') && url.searchParams.get('kind') === 'request';
  await parent.route(isHeld, async (route) => {
    await gate.promise;
    await route.continue().catch(() => undefined);
  });
  const note = (request: Request) => isHeld(new URL(request.url())) && over.resolve();
  parent.on('requestfinished', note).on('requestfailed', note);
  const delayed = parent.waitForRequest((request) => isHeld(new URL(request.url())));
  await activity.getByLabel('Kind of activity').selectOption('request');
  await delayed;
  await activity.getByLabel('Kind of activity').selectOption('money');
  const money = await readFromApi('&kind=money');
  await eventually('payments are shown', async () => (await shown()).join() === money.join());
  gate.resolve();
  await over.promise;
  await parent.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  assert.deepEqual(await shown(), money);
  await parent.context().close();
});
