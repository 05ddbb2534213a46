import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mock, test } from 'node:test';
import { createElement } from 'react';
import type { Device, EventPreference } from '../api/api-shapes.ts';
import { showHook, showPage } from '../test-page/shown-page.ts';
import { startBrowser } from '../test-page/test-browser.ts';
import { endpointDigest } from './push-keys.ts';

const browser = startBrowser();
const { readPushState, syncPush, turnPushOff, turnPushOn } = await import('./push-device.ts');
const { usePush } = await import('./use-push.ts');
const { default: PushOffer } = await import('./push-offer.tsx');
const { PushDevices } = await import('./push-devices.tsx');
const { PushSettings } = await import('../settings/push-settings.tsx');
const { closeNotifications } = await import('./service-worker.ts');
const { readOwner, storeOwner } = await import('./push-owner.ts');

const KEY = 'AQID';
const OTHER_KEY = 'BAUG';
const bytes = (key: string) => new Uint8Array(Buffer.from(key, 'base64url')).buffer;

/** A subscription of the browser at its push service. */
function subscription(endpoint: string, key: string) {
  return {
    endpoint,
    options: { applicationServerKey: bytes(key) },
    toJSON: () => ({ endpoint, keys: { auth: 'a' } }),
    unsubscribe: async () => {
      steps.push(`unsubscribe ${endpoint}`);
      current = null;
    },
  };
}
/** The steps that the browser has taken, in order. */
const steps: string[] = [];
let current: ReturnType<typeof subscription> | null = null;
let count = 0;
let permission: NotificationPermission = 'granted';
/** The answer to the question for permission. */
let answer: NotificationPermission = 'granted';
let closed = 0;
/** Makes a subscription; a test may let it fail or hang. */
let subscribe = async (key: Uint8Array) => {
  count += 1;
  return subscription(`https://push.test/new-${count}`, Buffer.from(key).toString('base64url'));
};

const registration = {
  pushManager: {
    getSubscription: async () => current,
    subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => {
      steps.push('subscribe');
      current = await subscribe(applicationServerKey);
      return current;
    },
  },
  getNotifications: async () => [1, 2].map(() => ({ close: () => (closed += 1) })),
};
const serviceWorker = {
  register: async (path: string) => steps.push(`register ${path}`),
  ready: Promise.resolve(registration),
  getRegistration: async () => registration,
};
Object.assign(globalThis, {
  PushManager: class {},
  matchMedia: () => ({ matches: false }),
  Notification: {
    get permission() {
      return permission;
    },
    requestPermission: async () => {
      permission = answer;
      return answer;
    },
  },
});
Object.assign(navigator, { serviceWorker, maxTouchPoints: 0 });
// WebCrypto answers from another thread, whenever that is. The page would have to be watched for it.
const digest = mock.method(
  crypto.subtle,
  'digest',
  async (_: string, data: Uint8Array) => Uint8Array.from(createHash('sha256').update(data).digest()).buffer,
);
test.after(() => {
  digest.mock.restore();
  for (const name of ['PushManager', 'matchMedia', 'Notification']) Reflect.deleteProperty(globalThis, name);
});

const LIST = 'GET /api/notifications/subscriptions';
const SUBSCRIBE = 'POST /api/notifications/subscribe';
const device = (more: object = {}) =>
  ({
    id: 4,
    user_agent: '',
    current: true,
    needs_renewal: false,
    created_at: '2026-11-26T12:00:00Z',
    ...more,
  }) as unknown as Device;
const lists = (devices: Device[], isShared = false) =>
  browser.answers.set(LIST, { status: 200, body: { data: devices, current_is_shared: isShared } });

test.beforeEach(() => {
  steps.length = 0;
  current = null;
  count = 0;
  [permission, answer] = ['granted', 'granted'];
  browser.answers.set('GET /api/notifications/vapid-key', { status: 200, body: { public_key: KEY } });
  lists([]);
});
test.afterEach(() => mock.timers.reset());

/** Lets the browser have a subscription of this person. */
async function subscribed(userId: number, key = KEY, endpoint = 'https://push.test/old'): Promise<void> {
  current = subscription(endpoint, key);
  storeOwner({ user_id: userId, digest: await endpointDigest(endpoint) });
}

test('[PUSH-13] notifications are on only with the permission, a subscription, and this person as its owner', async () => {
  assert.equal(await readPushState(1), 'off');
  await subscribed(1);
  assert.deepEqual([await readPushState(1), await readPushState(2)], ['on', 'off']);
  permission = 'default';
  assert.equal(await readPushState(1), 'off');
  permission = 'denied';
  assert.equal(await readPushState(1), 'denied');
  permission = 'granted';
  current = null;
  assert.equal(await readPushState(1), 'off');
});

test('turning on asks for the permission, subscribes with the current key, and is undone if the API rejects it', async () => {
  for (const [given, state] of [
    ['denied', 'denied'],
    ['default', 'off'],
  ] as const) {
    [permission, answer] = ['default', given];
    assert.equal(await turnPushOn(1), state);
    assert.deepEqual([steps, browser.calls], [[], []]);
  }
  answer = 'granted';
  browser.answers.set(SUBSCRIBE, { status: 409, body: { message: 'Too many devices.' } });
  await assert.rejects(turnPushOn(1), { message: 'Too many devices.' });
  assert.deepEqual([steps.slice(-2), readOwner()], [['subscribe', 'unsubscribe https://push.test/new-1'], null]);
  browser.answers.set(SUBSCRIBE, 200);
  assert.equal(await turnPushOn(1), 'on');
  assert.equal(browser.changes.at(-1), `${SUBSCRIBE} {"enabled":true,"endpoint":"https://push.test/new-2","keys":{"auth":"a"}}`);
  assert.deepEqual(readOwner(), { user_id: 1, digest: await endpointDigest('https://push.test/new-2') });
  steps.length = 0;
  current = subscription('https://push.test/other', OTHER_KEY);
  await turnPushOn(1);
  assert.deepEqual(
    steps.slice(1),
    ['unsubscribe https://push.test/other', 'subscribe'],
    'a subscription of another key is replaced',
  );
});

test('a push service that never answers is given up after half a minute', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const usual = subscribe;
  subscribe = () => new Promise(() => {});
  const outcome = turnPushOn(1).catch((error: Error) => error.message);
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(steps.at(-1), 'subscribe');
  mock.timers.tick(30_000);
  assert.equal(await outcome, 'Your browser’s notification service isn’t responding.');
  subscribe = usual;
});

test('[PUSH-13] turning off removes the device and its subscription, but not one that another record uses', async () => {
  for (const [devices, isShared, answered, expected, owner] of [
    [[device()], false, 204, ['DELETE', 'unsubscribe'], null],
    [[device()], true, 204, ['DELETE'], null],
    [[device({ current: false })], false, 204, ['unsubscribe'], null],
    [[], true, 204, [], 1],
    [[device()], false, 503, ['DELETE', 'unsubscribe'], null],
  ] as const) {
    browser.forget();
    steps.length = 0;
    await subscribed(1);
    lists([...devices], isShared);
    browser.answers.set('DELETE /api/notifications/subscriptions/4', answered);
    await turnPushOff().catch(() => undefined);
    const done = [...browser.changes.map((change) => change.split(' ')[0]), ...steps.map((step) => step.split(' ')[0])];
    assert.deepEqual([done, readOwner()?.user_id ?? null], [expected, owner], JSON.stringify([devices, isShared]));
  }
  browser.forget();
  await subscribed(1);
  browser.answers.set(LIST, 503);
  await assert.rejects(turnPushOff());
  assert.equal(current, null, 'without an answer the push service will report that the subscription is gone');
  storeOwner({ user_id: 1, digest: 'x' });
  browser.forget();
  await turnPushOff();
  assert.deepEqual([readOwner(), browser.calls], [null, []]);
});

test('[PUSH-13] a visit repairs what differs between the browser and the API, and asks for nothing', async () => {
  const visit = async () => {
    browser.forget();
    steps.length = 0;
    await syncPush(1);
    return [...browser.changes.map((change) => change.split(' ').slice(0, 2).join(' ')), ...steps];
  };
  permission = 'default';
  await subscribed(1);
  assert.deepEqual([await visit(), browser.calls], [[], []]);
  permission = 'granted';
  lists([device()]);
  assert.deepEqual(
    [await visit(), browser.reads],
    [
      [],
      [
        '/api/notifications/vapid-key',
        `/api/notifications/subscriptions?current=${await endpointDigest('https://push.test/old')}`,
      ],
    ],
  );
  await subscribed(2);
  assert.deepEqual([await visit(), readOwner()?.user_id], [[], 1], 'the API knows whose it is');
  lists([]);
  await subscribed(2);
  assert.deepEqual(
    [await visit(), readOwner()],
    [['unsubscribe https://push.test/old'], null],
    'it belongs to someone who has not signed out',
  );
  lists([], true);
  await subscribed(1);
  assert.deepEqual([await visit(), readOwner()], [[], null], 'removed elsewhere, but another record uses it');
  lists([]);
  storeOwner({ user_id: 1, digest: 'before' });
  current = subscription('https://push.test/moved', KEY);
  assert.deepEqual(await visit(), [SUBSCRIBE], 'the push service gave it another address');
  lists([device({ needs_renewal: true })]);
  assert.deepEqual(await visit(), [
    'DELETE /api/notifications/subscriptions/4',
    SUBSCRIBE,
    'register /sw.js',
    'unsubscribe https://push.test/moved',
    'subscribe',
  ]);
  lists([device()]);
  await subscribed(1, OTHER_KEY);
  assert.deepEqual((await visit()).includes('subscribe'), true, 'the key of the platform changed');
});

test('signing out closes the notifications that are still shown', async () => {
  closed = 0;
  await closeNotifications();
  assert.equal(closed, 2);
});

test('the state follows the browser’s settings and other parts of the page, until the page is left', async () => {
  const hook = await showHook(browser, usePush, 1);
  await hook.page.settle();
  assert.equal(hook.value.state, 'off');
  permission = 'denied';
  await hook.page.settle(() => dispatchEvent(new Event('focus')));
  assert.equal(hook.value.state, 'denied');
  permission = 'granted';
  await hook.page.settle(() => subscribed(1));
  await hook.page.settle();
  assert.equal(hook.value.state, 'on');
  lists([device()]);
  browser.answers.set('DELETE /api/notifications/subscriptions/4', 503);
  await hook.page.settle(() => hook.value.turnOff());
  assert.deepEqual([hook.value.problem, hook.value.busy], ['The platform answered with status 503.', false]);
  browser.answers.set('DELETE /api/notifications/subscriptions/4', 204);
  await hook.page.settle(() => subscribed(1));
  await hook.page.settle(() => hook.value.turnOff());
  assert.deepEqual([hook.value.problem, hook.value.state], [null, 'off']);
});

test('the offer is made once, only where it can be accepted, and says what became of it', async () => {
  permission = 'default';
  const page = await showPage(browser, createElement(PushOffer, { userId: 1 }));
  await page.settle();
  browser.answers.set(SUBSCRIBE, { status: 409, body: { message: 'Too many.' } });
  await page.press('Turn on notifications');
  await page.settle();
  assert.deepEqual(page.problems, ['We couldn’t turn them on. Too many.']);
  browser.answers.set(SUBSCRIBE, 200);
  await page.press('Turn on notifications');
  await page.settle();
  assert.match(page.status.join(), /^Notifications are on for this device/);
  await page.close();
  const again = await showPage(browser, createElement(PushOffer, { userId: 1 }));
  await again.settle();
  assert.equal(again.text, '', 'they are on already');
  await again.close();
  storeOwner(null);
  const declined = await showPage(browser, createElement(PushOffer, { userId: 1 }));
  await declined.settle();
  await declined.press('Not now');
  assert.equal(declined.text, '');
  await declined.close();
  const later = await showPage(browser, createElement(PushOffer, { userId: 1 }));
  await later.settle();
  assert.equal(later.text, '');
});

test('another device is removed at the API, and this one with its subscription', async () => {
  let removedHere = 0;
  const devices = [device({ id: 4, current: true, user_agent: 'A' }), device({ id: 6, current: false, user_agent: 'B' })];
  const paused = device({ id: 8, current: false, needs_renewal: true });
  lists([...devices, paused]);
  const onRemoveThis = async () => {
    removedHere += 1;
  };
  const page = await showPage(browser, createElement(PushDevices, { initial: devices, onRemoveThis }));
  await page.settle();
  const rows = page.elements(({ tagName }) => tagName === 'LI').map(({ textContent }) => textContent);
  assert.deepEqual(
    rows.map((row) => row.includes('Paused until you open this site on it')),
    [false, false, true],
  );
  const remove = async (at: number) => {
    const button = page.elements((one) => one.textContent === 'Remove')[at];
    assert.ok(button);
    await page.fire(button, 'click');
    await page.press('Stop them');
    await page.settle();
  };
  browser.answers.set('DELETE /api/notifications/subscriptions/6', { status: 503, body: { message: 'Words.' } });
  await remove(1);
  assert.deepEqual([page.problems, removedHere], [['We couldn’t remove the device. Words.'], 0]);
  browser.answers.set('DELETE /api/notifications/subscriptions/6', 204);
  lists(devices.slice(0, 1));
  await remove(1);
  assert.deepEqual([page.problems, page.elements((one) => one.textContent === 'Remove').length], [[], 1]);
  browser.forget();
  lists([]);
  await remove(0);
  assert.deepEqual([removedHere, browser.changes, page.text.includes('None yet.')], [1, [], true]);
});

test('settings of a browser without push say what to use instead, and on an iPhone how to get it', async () => {
  const { PushManager } = globalThis;
  const { userAgent } = navigator;
  try {
    Reflect.deleteProperty(globalThis, 'PushManager');
    for (const [agent, words] of [
      ['Mozilla/5.0 (X11)', 'This browser can’t show notifications'],
      ['Mozilla/5.0 (iPhone)', 'Add this page to your home screen first'],
    ] as const) {
      Object.assign(navigator, { userAgent: agent });
      const page = await showPage(browser, createElement(PushSettings, { userId: 1, devices: [], preferences: [] }));
      await page.settle();
      assert.deepEqual([page.text.includes(words), page.has('Turn on notifications')], [true, false], words);
      await page.close();
    }
  } finally {
    Object.assign(globalThis, { PushManager });
    Object.assign(navigator, { userAgent });
  }
});

test('the settings offer what this browser can do, and turning on lists the device', async () => {
  const preferences: EventPreference[] = [];
  for (const [now, button, words] of [
    ['default', 'Turn on notifications', ''],
    ['denied', null, 'Your browser blocks our notifications'],
  ] as const) {
    permission = now;
    const page = await showPage(browser, createElement(PushSettings, { userId: 1, devices: [], preferences }));
    await page.settle();
    assert.ok(page.text.includes(words));
    if (button !== null) {
      browser.forget();
      lists([device()]);
      await page.press(button);
      await page.settle();
      assert.deepEqual(
        [
          page.has('Turn off on this device'),
          page.text.includes('This device'),
          browser.reads.at(-1)?.startsWith('/api/notifications/subscriptions?current='),
        ],
        [true, true, true],
      );
      lists([device()]);
      await page.press('Turn off on this device');
      await page.settle();
      assert.equal(page.has('Turn on notifications'), true);
    }
    await page.close();
  }
});
