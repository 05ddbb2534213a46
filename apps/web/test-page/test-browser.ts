import assert from 'node:assert/strict';
import { after, afterEach } from 'node:test';
import { type DOMWindow, JSDOM } from 'jsdom';

const ADDRESS = 'https://cases.test/page';
/** Classes of Node.js, for objects that are not a part of the document. jsdom has others of the same names. */
const { Event: PlainEvent, EventTarget: PlainEventTarget } = globalThis;

interface Call {
  method: string;
  /** With its query. */
  path: string;
  headers: Headers;
  body: unknown;
  signal: AbortSignal | null;
  /** True if the browser sends it to the end after the page was left. */
  keepalive: boolean;
}

/** `drop` breaks the connection. A function may answer each call differently, and later. */
type FixedAnswer = number | 'drop' | { status: number; body?: unknown; headers?: Record<string, string> };
type Answer = FixedAnswer | ((call: Call) => FixedAnswer | Promise<FixedAnswer>);

/** A browser for tests: the document and storage of jsdom, and what jsdom lacks: answers of the API and navigation. */
export class TestBrowser {
  readonly #dom = new JSDOM('<!doctype html>', { url: ADDRESS });
  readonly window: DOMWindow = this.#dom.window;
  readonly local: Storage = this.window.localStorage;
  /** The calls since the last `forget`. */
  readonly calls: Call[] = [];
  /** The answers by method and path without its query, such as `POST /api/x`; 200 with an empty object by default. */
  readonly answers = new Map<string, Answer>();
  /** The pages that were opened, and how: `push /x`, `replace /x`, `refresh`, `back`, `assign /x` (a new document), `reload`. */
  readonly opened: string[] = [];
  isOnline = true;
  isVisible = true;
  /** Functions that close the pages that are still shown. */
  readonly open = new Set<() => Promise<void>>();

  /** Returns the calls that may change something, each as `POST /path {"its":"body"}`. */
  get changes(): string[] {
    return this.calls
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);
  }
  get reads(): string[] {
    return this.calls.filter(({ method }) => method === 'GET').map(({ path }) => path);
  }

  /** Returns the stored cookies with their attributes, each as `name=value; Max-Age=60; Path=/`. */
  get cookies(): string[] {
    return this.#dom.cookieJar.getCookiesSync(ADDRESS).map(String);
  }
  removeCookies() {
    this.#dom.cookieJar.removeAllCookiesSync();
  }

  /** Brings the page to the foreground or the background, and tells it. */
  setVisible(isVisible: boolean) {
    this.isVisible = isVisible;
    this.window.document.dispatchEvent(new this.window.Event('visibilitychange'));
  }

  forget() {
    this.calls.length = 0;
    this.opened.length = 0;
  }

  readonly fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', body, signal = null, keepalive = false } = init;
    const headers = new Headers(init.headers);
    const call = { method: method.toUpperCase(), path, headers, body: contentOf(body), signal, keepalive };
    const answer = await this.answer(call);
    if (answer === 'drop') throw new TypeError('Failed to fetch');
    const { status, body: content = {}, headers: more = {} } = typeof answer === 'number' ? { status: answer } : answer;
    return status === 204 ? new Response(null, { status }) : Response.json(content, { status, headers: more });
  };

  async answer(call: Call): Promise<FixedAnswer> {
    this.calls.push(call);
    const configured = this.answers.get(`${call.method} ${call.path.split('?')[0]}`) ?? { status: 200, body: {} };
    return Promise.race([typeof configured === 'function' ? configured(call) : configured, aborted(call.signal)]);
  }

  readonly router = {
    push: (path: string) => void this.opened.push(`push ${path}`),
    replace: (path: string) => void this.opened.push(`replace ${path}`),
    refresh: () => void this.opened.push('refresh'),
    back: () => void this.opened.push('back'),
    bfcacheId: '0',
    forward() {},
    prefetch() {},
  };

  readonly location = {
    href: ADDRESS,
    origin: 'https://cases.test',
    protocol: 'https:',
    host: 'cases.test',
    pathname: '/page',
    search: '',
    hash: '',
    assign: (path: string) => void this.opened.push(`assign ${path}`),
    reload: () => void this.opened.push('reload'),
  };
}

/** Returns the JSON or the fields of a body. */
function contentOf(body: unknown): unknown {
  if (body instanceof FormData)
    return Object.fromEntries([...body].map(([name, value]) => [name, value instanceof File ? value.name : value]));
  if (body instanceof URLSearchParams) return Object.fromEntries(body);
  return typeof body === 'string' && body.startsWith('{') ? JSON.parse(body) : (body ?? null);
}

/** A browser's XMLHttpRequest, which reports progress: half of the body, then all of it. */
class TestUpload extends PlainEventTarget {
  static browser: TestBrowser;
  readonly upload = new PlainEventTarget();
  readonly #headers = new Headers();
  readonly #leaving = new AbortController();
  #path = '';
  #answered = new Headers();
  status = 0;
  response: unknown = null;
  responseText = '';
  open(_method: string, path: string) {
    this.#path = path;
  }
  setRequestHeader(name: string, value: string) {
    this.#headers.set(name, value);
  }
  getResponseHeader(name: string) {
    return this.#answered.get(name);
  }
  abort() {
    this.#leaving.abort();
    this.dispatchEvent(new PlainEvent('abort'));
  }
  async send(form: FormData) {
    const progress = (loaded: number) => Object.assign(new PlainEvent('progress'), { lengthComputable: true, loaded, total: 4 });
    this.upload.dispatchEvent(progress(2));
    const { signal } = this.#leaving;
    const call = { method: 'POST', path: this.#path, headers: this.#headers, body: contentOf(form), signal, keepalive: false };
    const answer = await TestUpload.browser.answer(call).catch(() => null);
    if (answer === null) return;
    this.upload.dispatchEvent(progress(4));
    if (answer === 'drop') return void this.dispatchEvent(new PlainEvent('error'));
    const { status, body = {}, headers = {} } = typeof answer === 'number' ? { status: answer } : answer;
    [this.status, this.response, this.responseText] = [status, body, JSON.stringify(body)];
    this.#answered = new Headers(headers);
    this.dispatchEvent(new PlainEvent('load'));
  }
}

/** Rejects as `fetch` does once the caller no longer wants the answer. */
function aborted(signal: AbortSignal | null): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new DOMException('Cancelled', 'AbortError'));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  });
}

/** The parts of jsdom's window that pages find in the global scope. */
const OF_WINDOW = [
  'document',
  'localStorage',
  'sessionStorage',
  'Event',
  'Element',
  'HTMLElement',
  'RadioNodeList',
  'MutationObserver',
  'Blob',
  'File',
  'FormData',
] as const;

/** Adds what jsdom lacks: visibility, scrolling, and dialogs, which are not modal here. */
function addMissingParts(browser: TestBrowser): void {
  // After a change, jsdom waits for the next frame to check that the focused element can still have the focus. If a test replaces the
  // timers meanwhile, jsdom cannot clear its own, which then keeps the process running.
  assert.equal(typeof browser.window._requestFocusFixup, 'function', 'jsdom has renamed _requestFocusFixup');
  browser.window._requestFocusFixup = () => {};
  const { document, Event, Element, HTMLDialogElement } = browser.window;
  Object.defineProperty(document, 'visibilityState', { get: () => (browser.isVisible ? 'visible' : 'hidden') });
  Object.assign(Element.prototype, {
    scrollTo(this: Element, { top = 0 }: ScrollToOptions) {
      this.scrollTop = top;
    },
  });
  Object.assign(HTMLDialogElement.prototype, {
    showModal(this: HTMLDialogElement) {
      this.open = true;
    },
    close(this: HTMLDialogElement) {
      if (!this.open) return;
      this.open = false;
      this.dispatchEvent(new Event('close'));
    },
  });
}

/** Gives the tests of this file a browser. Other files of the same process do not see it. */
export function startBrowser(): TestBrowser {
  const browser = new TestBrowser();
  const { window, location } = browser;
  addMissingParts(browser);
  TestUpload.browser = browser;
  const parts: Record<string, unknown> = {
    ...Object.fromEntries(OF_WINDOW.map((name) => [name, window[name]])),
    // Code also finds its timers, requests, and address in `window`, and these are not jsdom's.
    window: globalThis,
    location,
    fetch: browser.fetch,
    XMLHttpRequest: TestUpload,
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
    requestAnimationFrame: (work: () => void) => setTimeout(work),
    history: { state: null, replaceState: (_: unknown, __: string, path: string) => void browser.opened.push(`address ${path}`) },
    IS_REACT_ACT_ENVIRONMENT: true,
    navigator: {
      get onLine() {
        return browser.isOnline;
      },
      userAgent: 'test',
    },
  };
  const originals = Object.keys(parts).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: true });
  afterEach(async () => {
    for (const close of browser.open) await close();
    browser.open.clear();
    browser.answers.clear();
    browser.forget();
    browser.local.clear();
    browser.removeCookies();
    browser.isOnline = true;
    browser.isVisible = true;
  });
  after(() => {
    for (const [name, descriptor] of originals) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor !== undefined) Object.defineProperty(globalThis, name, descriptor);
    }
    window.close();
  });
  return browser;
}
