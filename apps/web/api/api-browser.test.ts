import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { EVERY_STATUS, startSink } from '../../../test/support/sink.ts';
import { uploadDirectly } from '../uploads/direct-upload.ts';
import { apiBrowser, uploadForm } from './api-browser.ts';
import { ApiError, NO_ANSWER } from './api-error.ts';

const sink = await startSink();
type Answer = Parameters<typeof sink.answers.set>[1];
const pagesOpened: string[] = [];

/** As much of a browser's XMLHttpRequest as uploads use. */
class TestRequest extends EventTarget {
  upload = new EventTarget();
  responseType = '';
  status = 0;
  responseText = '';
  response: unknown = null;
  #url = '';
  #answered = new Headers();
  open(_method: string, url: string) {
    this.#url = new URL(url, sink.origin).href;
  }
  #headers = new Headers();
  setRequestHeader(name: string, value: string) {
    this.#headers.set(name, value);
  }
  getResponseHeader(name: string) {
    return this.#answered.get(name);
  }
  abort() {}
  async send(body: FormData) {
    try {
      const answer = await nodeFetch(this.#url, {
        method: 'POST',
        body,
        headers: { 'x-reader': this.#headers.get('x-reader') ?? '' },
      });
      [this.status, this.#answered, this.responseText] = [answer.status, answer.headers, await answer.text()];
    } catch {
      return void this.dispatchEvent(new Event('error'));
    }
    try {
      this.response = JSON.parse(this.responseText);
    } catch {
      // A browser answers null for what is not JSON.
    }
    this.dispatchEvent(new Event('load'));
  }
}

const nodeFetch = globalThis.fetch;
/** These tests share their process with others. */
const { fetch, XMLHttpRequest, sessionStorage, location, window } = globalThis;
const before = { fetch, XMLHttpRequest, sessionStorage, location, window };
Object.assign(globalThis, {
  // With a window, next-auth calls relative paths.
  window: globalThis,
  fetch: (path: string, init: RequestInit) => nodeFetch(new URL(path, sink.origin), init),
  XMLHttpRequest: TestRequest,
  sessionStorage: { getItem: () => null, setItem() {}, removeItem() {} },
  location: {
    href: `${sink.origin}/messages`,
    pathname: '/messages',
    search: '',
    assign: (path: string) => pagesOpened.push(path),
  },
});

after(() => Object.assign(globalThis, before));

/** A success that says nothing leaves open what became of the call. */
const NOTHING = { status: 0, message: NO_ANSWER, retryAfter: undefined };
const PATH = '/api/test';
const signal = new AbortController().signal;
const onProgress = () => {};
const upload = () => uploadForm(PATH, new FormData(), { idempotencyKey: 'k', signal, onProgress });
const uploadFile = () => uploadDirectly(new File(['x'], 'a.png'), { path: PATH, signal, onProgress });
const outcome = async (call: () => Promise<unknown>) => {
  try {
    return { data: await call() };
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return { status: error.status, message: error.message, retryAfter: error.retryAfter };
  }
};
const signOuts = () => sink.received.filter(({ path }) => path === '/api/auth/signout').length;
const OTHERS = EVERY_STATUS.filter((status) => status !== 401 && status !== 204);

test('[ERROR-1, WEB-13] every status except 401 returns the data, or an error with the API’s message and wait, and signs no one out', async () => {
  for (const status of OTHERS) {
    sink.answers.set(PATH, { status, body: { message: 'Words.' }, headers: { 'retry-after': '7' } });
    const expected = status < 300 ? { data: { message: 'Words.' } } : { status, message: 'Words.', retryAfter: 7 };
    assert.deepEqual(await outcome(() => apiBrowser(PATH)), expected, `a call: ${status}`);
    assert.deepEqual(await outcome(upload), expected, `a form: ${status}`);
    sink.answers.set(PATH, { status, body: '<html>' });
    const words = { status, message: `The platform answered with status ${status}.`, retryAfter: undefined };
    for (const call of [() => apiBrowser(PATH), upload])
      assert.deepEqual(await outcome(call), status < 300 ? NOTHING : words, `without JSON: ${status}`);
  }
  sink.answers.set(PATH, 204);
  assert.deepEqual([await outcome(() => apiBrowser(PATH)), await outcome(upload)], [{ data: null }, { data: null }]);
  sink.answers.set(PATH, 'drop');
  for (const call of [() => apiBrowser(PATH), upload]) assert.equal((await outcome(call)).status, 0);
  assert.deepEqual([signOuts(), pagesOpened], [0, []]);
});

test('[UPLOAD-6] every storage status except a success becomes a sentence, is not confirmed, and signs no one out', async () => {
  sink.answers.set(`${PATH}/upload-url`, {
    status: 200,
    body: { upload_url: `${sink.origin}/bucket`, upload_fields: { key: 'k' }, file_key: 'k' },
  });
  sink.answers.set(`${PATH}/confirm`, { status: 200, body: { saved: true } });
  const confirmed = () => sink.received.filter(({ path }) => path === `${PATH}/confirm`).length;
  const send = async (answer: Answer) => {
    sink.received.length = 0;
    sink.answers.set('/bucket', answer);
    return outcome(uploadFile);
  };
  for (const status of EVERY_STATUS) {
    const result = await send({ status, body: '<Error><Code>AccessDenied</Code></Error>' });
    if (status < 300) assert.deepEqual([result, confirmed()], [{ data: { saved: true } }, 1], String(status));
    else {
      assert.deepEqual([result.status, confirmed()], [status, 0], String(status));
      assert.match(result.message ?? '', /^We couldn’t upload this file\. Try again\.$/);
    }
  }
  assert.deepEqual([(await send('drop')).status, confirmed()], [0, 0]);
  assert.deepEqual([signOuts(), pagesOpened], [0, []]);
});

test('[WEB-9, WEB-11] a 401 signs the person out once, also when another page received a token, unless it is about what was just entered', async () => {
  sink.received.length = 0;
  sink.answers.set('/api/auth/csrf', { status: 200, body: { csrfToken: 'token' } });
  const url = `${sink.origin}/login?session=ended&callbackUrl=%2Fmessages`;
  // The first token was replaced by that of another page.
  const rejection = `${sink.origin}/api/auth/signout?csrf=true`;
  sink.answers.set('/api/auth/signout', () => ({ status: 200, body: { url: signOuts() === 1 ? rejection : url } }));
  sink.answers.set(PATH, { status: 401, body: { code: 'wrong_code' } });
  for (const call of [() => apiBrowser(PATH), upload]) assert.equal((await outcome(call)).status, 401);
  assert.equal(signOuts(), 0);
  sink.answers.set(PATH, { status: 401, body: { code: 'not_authenticated' } });
  await Promise.all([outcome(() => apiBrowser(PATH)), outcome(upload), outcome(() => apiBrowser(PATH))]);
  await eventually('the sign-in page', () => pagesOpened.length > 0);
  assert.deepEqual([signOuts(), pagesOpened], [2, ['/login?session=ended&callbackUrl=%2Fmessages']]);
});

/** The module of another document, which has its own reader. */
const OTHER_DOCUMENT = './api-browser.ts?other-document';

test('[WEB-12] every call names the reader of the page, which is left once another person has signed in', async () => {
  const page = (await import(OTHER_DOCUMENT)) as typeof import('./api-browser.ts');
  pagesOpened.length = 0;
  page.nameReader(7);
  page.nameReader(7);
  sink.answers.set(PATH, { status: 200, body: {} });
  sink.received.length = 0;
  await page.apiBrowser(PATH);
  await page.uploadForm(PATH, new FormData(), { idempotencyKey: 'k', signal, onProgress });
  await (await page.openEvents(PATH, '3', signal)).text();
  assert.deepEqual([sink.received.map(({ headers }) => headers['x-reader']), pagesOpened], [['7', '7', '7'], []]);
  assert.equal(sink.received.at(-1)?.headers['last-event-id'], '3');
  sink.answers.set(PATH, { status: 409, body: { code: 'other_reader' } });
  await assert.rejects(page.apiBrowser(PATH));
  assert.deepEqual(pagesOpened.splice(0), ['/']);
  sink.answers.set(PATH, { status: 409, body: { code: 'conflict' } });
  await assert.rejects(page.apiBrowser(PATH));
  assert.deepEqual(pagesOpened, []);
  page.nameReader(8);
  assert.deepEqual(pagesOpened, ['/'], 'a document belongs to one person');
  await assert.rejects(page.apiBrowser(PATH));
  assert.equal(sink.received.at(-1)?.headers['x-reader'], '7');
});

test('an upload that was cancelled before it began sends nothing', async () => {
  sink.received.length = 0;
  const options = { idempotencyKey: 'k', signal: AbortSignal.abort(), onProgress };
  await assert.rejects(uploadForm(PATH, new FormData(), options), { name: 'AbortError' });
  assert.equal(sink.received.length, 0);
});
