import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '../checkout/checkout.mjs';
import { startFirefox } from './firefox.mjs';
import { startPushServer } from './push-server.mjs';

/**
 * Proves push from end to end with a real browser: Firefox subscribes, the platform encrypts and sends, Firefox decrypts and
 * shows; after it has unsubscribed, the push service's 410 removes the record. `npm run prove-push`; Firefox is the one of
 * FIREFOX_PATH, or the system's.
 */

const PROGRAMS = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'];
const PASSWORD = 'Demo-Passw0rd!';
const WITHIN_MS = 60_000;
const PORTS = { WEB: 3960, API: 3961, ADMIN: 3962, STORAGE: 3963 };
const web = `http://localhost:${PORTS.WEB}`;
const MESSAGE = {
  title: 'A payment is on its way',
  body: 'Open the platform to see it: ümläut, 中文.',
  icon: '/icon-192.png',
  tag: 'prove-push',
  requireInteraction: true,
};

const FIND_BUTTON = `const button = [...document.querySelectorAll('button')].find((one) => one.innerText === 'Turn on notifications' && !one.disabled);`;
const DEVICES = "fetch('/api/notifications/subscriptions').then((answer) => answer.json()).then(({ data }) => data)";
const SHOWN = `
  const [one] = await (await navigator.serviceWorker.ready).getNotifications();
  if (one === undefined) return null;
  const { title, body, icon, tag, requireInteraction, data } = one;
  return { title, body, icon: new URL(icon).pathname, tag, requireInteraction, data };
`;

const program = process.env.FIREFOX_PATH ?? PROGRAMS.find((path) => existsSync(path));
if (program === undefined)
  throw new Error('There is no Firefox. Install one (Debian: firefox-esr) or set FIREFOX_PATH.');
const masterKey = randomBytes(32).toString('hex');
const folder = await mkdtemp(join(tmpdir(), 'prove-push-data-'));
const pushServer = await startPushServer();
const platform = await startPlatform();
const firefox = await startFirefox({ program, pushPort: pushServer.port });
try {
  await prove();
} finally {
  await firefox.close();
  pushServer.close();
  platform.kill('SIGTERM');
  await new Promise((resolve) => platform.once('exit', resolve));
  await rm(folder, { recursive: true, force: true });
}

async function prove() {
  await firefox.open(`${web}/login`);
  await firefox.run(`
    const { csrfToken } = await (await fetch('/api/auth/csrf')).json();
    const fields = { csrfToken, email_address: 'parent@demo.test', user_type: 'intended_parent', pass_hash: '${PASSWORD}' };
    await fetch('/api/auth/callback/credentials', { method: 'POST', body: new URLSearchParams({ ...fields, json: 'true' }) });
  `);
  await firefox.open(`${web}/settings`);
  const user_id = await firefox.run(`return (await (await fetch('/api/user/me')).json()).id;`);
  await until('the button', () => firefox.run(`${FIND_BUTTON} return button !== undefined;`));
  await firefox.run(`${FIND_BUTTON} button.click();`);
  await until('the device is listed', () => firefox.run(`return (await ${DEVICES})[0] ?? null;`));
  console.log('Firefox has subscribed for real, and the API lists the device.');

  assert.deepEqual(await send(user_id), { sent: 1, failed: 0, removed: 0 });
  assert.ok(
    !pushServer.taken.some((body) => body.includes(MESSAGE.title)),
    'what the push service carries is encrypted',
  );
  const shown = await until('the notification', () => firefox.run(SHOWN));
  assert.deepEqual(shown, { ...MESSAGE, data: { url: '/disbursements' } });
  console.log('The encrypted message arrived and is shown, field by field as it was sent.');

  await firefox.run(`await (await (await navigator.serviceWorker.ready).pushManager.getSubscription()).unsubscribe();`);
  assert.deepEqual(await send(user_id), { sent: 0, failed: 0, removed: 1 });
  const left = await firefox.run(`return ${DEVICES};`);
  assert.deepEqual(left, []);
  console.log('After Firefox unsubscribed, the 410 removed the record.');
}

/** @param {number} user_id */
async function send(user_id) {
  const answer = await fetch(`http://localhost:${PORTS.API}/internal/notification/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-master-api-key': masterKey },
    body: JSON.stringify({ ...MESSAGE, url: '/disbursements', user_type: 'intended_parent', user_id }),
  });
  return answer.json();
}

/**
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} ask
 */
async function until(what, ask) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await ask();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await pause(200);
  }
}

async function startPlatform() {
  const addresses = Object.entries(PORTS).flatMap(([name, port]) => [
    [`${name}_PORT`, String(port)],
    [`${name}_URL`, `http://localhost:${port}`],
  ]);
  const own = { DATA_DIR: folder, PUSH_ALLOWED_HOSTS: '127.0.0.1', MASTER_API_KEY: masterKey };
  const child = spawn(process.execPath, [join(ROOT, 'scripts', 'start.mjs')], {
    env: { ...process.env, ...Object.fromEntries(addresses), ...own },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => /\bready\b/.test(String(chunk)) && resolve(null));
    child.once('exit', (code) => reject(new Error(`The platform ended with ${code}.`)));
  });
  return child;
}
