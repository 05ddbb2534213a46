import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts a headless Firefox that uses this push service, and drives one page of it over WebDriver BiDi.
 * @param {{ program: string, pushPort: number }} options
 * @returns {Promise<{ open: (url: string) => Promise<void>, run: (script: string) => Promise<any>, close: () => Promise<void> }>}
 *   `run` takes the body of an async function and gives its JSON back, as if a person had just touched the page
 */
export async function startFirefox({ program, pushPort }) {
  const profile = await mkdtemp(join(tmpdir(), 'prove-push-'));
  const settings = {
    'dom.push.serverURL': `ws://127.0.0.1:${pushPort}/`,
    'dom.push.testing.allowInsecureServerURL': true,
    'dom.push.connection.enabled': true,
    'permissions.default.desktop-notification': 1,
    // Without a desktop there is no notification service to hand them to: Firefox draws them itself.
    'alerts.useSystemBackend': false,
    'remote.prefs.recommended': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'browser.shell.checkDefaultBrowser': false,
    'browser.startup.page': 0,
    'app.normandy.enabled': false,
    'network.captive-portal-service.enabled': false,
  };
  const lines = Object.entries(settings).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), lines.join('\n'));
  const child = spawn(program, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: profile },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(profile, { recursive: true, force: true });
  };
  const call = await connect(await findAddress(child));
  await call('session.new', { capabilities: {} });
  const { contexts } = await call('browsingContext.getTree', {});
  const context = contexts[0].context;
  const open = async (/** @type {string} */ url) => {
    await call('browsingContext.navigate', { context, url, wait: 'complete' });
  };
  const run = async (/** @type {string} */ script) => {
    const { result, exceptionDetails } = await call('script.evaluate', {
      expression: `(async () => { ${script} })().then((value) => JSON.stringify(value ?? null))`,
      target: { context },
      awaitPromise: true,
      userActivation: true,
    });
    if (exceptionDetails !== undefined) throw new Error(`In the page: ${exceptionDetails.text}`);
    return JSON.parse(result.value);
  };
  return { open, run, close };
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>}
 */
function findAddress(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk) => {
      output += chunk;
      const found = /WebDriver BiDi listening on (ws:\S+)/.exec(output);
      if (found) resolve(`${found[1]}/session`);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Firefox ended with ${code}:\n${output}`)));
  });
}

/**
 * @param {string} address
 * @returns {Promise<(method: string, params: object) => Promise<any>>}
 */
async function connect(address) {
  const socket = new WebSocket(address);
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const waiting = new Map();
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`Nobody answers at ${address}`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, message } = JSON.parse(data);
    if (type === 'success') waiting.get(id)?.resolve(result);
    if (type === 'error') waiting.get(id)?.reject(new Error(message));
  });
  let last = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
}
