import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

const file = (name: string) => readFileSync(new URL(`../public/${name}`, import.meta.url), 'utf8');

interface Shown {
  title: string;
  options: object;
}

interface Window {
  url: string;
  focus: () => void;
}

/** Runs public/sw.js with stubs of the browser's objects, and records the notifications and windows that it opens. */
function startWorker(windows: Window[] = [], fetch: (...call: unknown[]) => Promise<unknown> = async () => ({})) {
  const listeners = new Map<string, (event: object) => void>();
  const shown: Shown[] = [];
  const opened: string[] = [];
  const self = {
    location: { origin: 'https://cases.test' },
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    clients: { matchAll: async () => windows, openWindow: async (url: string) => opened.push(url) },
    registration: {
      showNotification: async (title: string, options: object) => shown.push({ title, options }),
      pushManager: {
        subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) => subscription(applicationServerKey),
      },
    },
  };
  runInContext(file('sw.js'), createContext({ self, URL, fetch }));
  const send = async (name: string, event: object) => {
    let work: unknown;
    listeners.get(name)?.({ ...event, waitUntil: (promise: unknown) => (work = promise) });
    await work;
  };
  return { send, shown, opened };
}

const subscription = (key: string) => ({
  toJSON: () => ({ endpoint: `https://push.test/${key}`, keys: { auth: 'a', p256dh: 'p' } }),
});
const pushed = (value: unknown) => ({ data: { json: () => JSON.parse(JSON.stringify(value)) } });
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const PAYLOAD = {
  title: 'New message',
  body: 'Paige Whitlock wrote to you.',
  icon: '/icon-512.png',
  data: { url: '/messages/3?from=push' },
  tag: 'message-9',
  requireInteraction: true,
  vibrate: [200, 100],
};

test("[PUSH-10] a notification has exactly the payload's fields", async () => {
  const { send, shown } = startWorker();
  await send('push', pushed(PAYLOAD));
  const { title, ...options } = PAYLOAD;
  assert.deepEqual(plain(shown), [{ title, options }]);
});

test('[BRAND-1] a push that cannot be read is shown with default words, which name no company', async () => {
  const { send, shown } = startWorker();
  const broken = { data: { json: () => JSON.parse('{') } };
  for (const event of [{ data: null }, broken, pushed(null), pushed('words'), pushed({ title: 7, data: 'x' })]) {
    await send('push', event);
  }
  assert.equal(shown.length, 5);
  for (const { title, options } of plain(shown) as { title: string; options: { data: object; body: string } }[]) {
    assert.equal(title, 'News for you');
    assert.notEqual(options.body, '');
    assert.deepEqual(options.data, { url: '/' });
  }
});

test('[PUSH-11] a notification leads to a path inside the app, even if its url does not', async () => {
  const { send, shown } = startWorker();
  const foreign = ['https://evil.test/x', '//evil.test/x', '/\\evil.test', 'javascript:alert(1)', 'messages/3', 7];
  for (const url of foreign) await send('push', pushed({ ...PAYLOAD, icon: url, data: { url } }));
  for (const { options } of plain(shown) as { options: { data: { url: string }; icon: string } }[]) {
    assert.equal(options.data.url, '/');
    assert.equal(options.icon, '/icon-192.png');
  }
});

test('a click focuses the window that shows the page, or opens one', async () => {
  const calls: string[] = [];
  const window = (url: string) => ({ url, focus: () => calls.push(url) });
  const windows = [window('https://cases.test/messages/30'), window('https://cases.test/messages/3?x=1')];
  const { send, opened } = startWorker(windows);
  const click = (url: unknown) => ({ notification: { close: () => calls.push('closed'), data: { url } } });
  await send('notificationclick', click('/messages/3'));
  assert.deepEqual([calls, opened], [['closed', 'https://cases.test/messages/3?x=1'], []]);
  await send('notificationclick', click('/disbursements/4?a=b#c'));
  await send('notificationclick', click('https://evil.test/'));
  assert.deepEqual(opened, ['https://cases.test/disbursements/4?a=b#c', 'https://cases.test/']);
});

test('a subscription that the browser replaced is reported to the API, except after signing out', async () => {
  const calls: unknown[][] = [];
  const answering = (ok: boolean) =>
    startWorker([], async (...call) => {
      calls.push(call);
      return { ok, json: async () => ({ public_key: 'today' }) };
    });
  await answering(false).send('pushsubscriptionchange', {});
  assert.deepEqual(calls, [['/api/notifications/vapid-key']]);
  await answering(true).send('pushsubscriptionchange', {});
  await answering(true).send('pushsubscriptionchange', { newSubscription: subscription('replaced') });
  const sent = calls.filter(([path]) => path === '/api/notifications/subscribe').map(([, init]) => init);
  assert.deepEqual(
    sent.map((init) => JSON.parse((init as unknown as { body: string }).body)),
    ['today', 'replaced'].map((key) => ({
      enabled: true,
      endpoint: `https://push.test/${key}`,
      keys: { auth: 'a', p256dh: 'p' },
    })),
  );
});

test('a changed offline page changes the service worker, so that browsers fetch it', () => {
  const digest = createHash('sha256').update(file('offline.html')).digest('hex');
  assert.match(file('sw.js'), new RegExp(`const CACHE = 'offline-${digest.slice(0, 8)}';`));
});
