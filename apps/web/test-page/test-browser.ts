import { after, afterEach } from 'node:test';
import { TestElement, TestRadioNodeList, testDocument } from './page-elements.ts';

interface Call {
  method: string;
  /** With its query. */
  path: string;
  headers: Headers;
  body: unknown;
  signal: AbortSignal | null;
}

/** `drop` breaks the connection. A function may answer each call differently, and later. */
type FixedAnswer = number | 'drop' | { status: number; body?: unknown; headers?: Record<string, string> };
type Answer = FixedAnswer | ((call: Call) => FixedAnswer | Promise<FixedAnswer>);

/** A browser for tests: storage, calls of the API, and addresses, as much as the pages use of it. */
export class TestBrowser {
  /** The calls since the last `forget`. */
  readonly calls: Call[] = [];
  /** The answers by method and path without its query, such as `POST /api/x`; 200 with an empty object by default. */
  readonly answers = new Map<string, Answer>();
  /** The pages that were opened, and how: `push /x`, `replace /x`, `refresh`, `back`, `assign /x` (a new document), `reload`. */
  readonly opened: string[] = [];
  readonly window = new EventTarget();
  readonly local = new TestStorage();
  isOnline = true;
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

  forget() {
    this.calls.length = 0;
    this.opened.length = 0;
  }

  readonly fetch = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', body, signal = null } = init;
    const call = { method: method.toUpperCase(), path, headers: new Headers(init.headers), body: contentOf(body), signal };
    const answer = await this.answer(call);
    if (answer === 'drop') throw new TypeError('Failed to fetch');
    const { status, body: content = {}, headers = {} } = typeof answer === 'number' ? { status: answer } : answer;
    return status === 204 ? new Response(null, { status }) : Response.json(content, { status, headers });
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
    href: 'https://cases.test/page',
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
class TestUpload extends EventTarget {
  static browser: TestBrowser;
  readonly upload = new EventTarget();
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
    this.dispatchEvent(new Event('abort'));
  }
  async send(form: FormData) {
    const progress = (loaded: number) => Object.assign(new Event('progress'), { lengthComputable: true, loaded, total: 4 });
    this.upload.dispatchEvent(progress(2));
    const { signal } = this.#leaving;
    const call = { method: 'POST', path: this.#path, headers: this.#headers, body: contentOf(form), signal };
    const answer = await TestUpload.browser.answer(call).catch(() => null);
    if (answer === null) return;
    this.upload.dispatchEvent(progress(4));
    if (answer === 'drop') return void this.dispatchEvent(new Event('error'));
    const { status, body = {}, headers = {} } = typeof answer === 'number' ? { status: answer } : answer;
    [this.status, this.response, this.responseText] = [status, body, JSON.stringify(body)];
    this.#answered = new Headers(headers);
    this.dispatchEvent(new Event('load'));
  }
}

/** Watches a document's head, of which only the title ever changes here. */
class TestMutationObserver {
  static readonly all = new Set<() => void>();
  readonly #changed: () => void;
  constructor(changed: () => void) {
    this.#changed = changed;
  }
  observe() {
    TestMutationObserver.all.add(this.#changed);
  }
  disconnect() {
    TestMutationObserver.all.delete(this.#changed);
  }
}

/** Changes the title of the page, as a navigation does. */
export function retitle(title: string): void {
  testDocument.title = title;
  for (const changed of TestMutationObserver.all) changed();
}

/** Rejects as `fetch` does once the caller no longer wants the answer. */
function aborted(signal: AbortSignal | null): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new DOMException('Cancelled', 'AbortError'));
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  });
}

/** Storage of a browser, whose keys are properties, as in a browser. */
class TestStorage {
  [key: string]: unknown;
  getItem(key: string): string | null {
    return Object.hasOwn(this, key) ? String(this[key]) : null;
  }
  setItem(key: string, value: string) {
    this[key] = value;
  }
  removeItem(key: string) {
    delete this[key];
  }
  clear() {
    for (const key of Object.keys(this)) delete this[key];
  }
}

/** Gives the tests of this file a browser. Other files of the same process do not see it. */
export function startBrowser(): TestBrowser {
  const browser = new TestBrowser();
  const { window, location } = browser;
  TestUpload.browser = browser;
  const parts: Record<string, unknown> = {
    window: globalThis,
    document: testDocument,
    location,
    fetch: browser.fetch,
    XMLHttpRequest: TestUpload,
    MutationObserver: TestMutationObserver,
    localStorage: browser.local,
    sessionStorage: new TestStorage(),
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
    dispatchEvent: window.dispatchEvent.bind(window),
    requestAnimationFrame: (work: () => void) => setTimeout(work),
    history: { state: null, replaceState: (_: unknown, __: string, path: string) => void browser.opened.push(`address ${path}`) },
    HTMLElement: TestElement,
    Element: TestElement,
    HTMLIFrameElement: class {},
    RadioNodeList: TestRadioNodeList,
    IS_REACT_ACT_ENVIRONMENT: true,
    navigator: {
      get onLine() {
        return browser.isOnline;
      },
      userAgent: 'test',
    },
  };
  const before = Object.keys(parts).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(parts))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: true });
  afterEach(async () => {
    for (const close of browser.open) await close();
    browser.open.clear();
    browser.answers.clear();
    browser.forget();
    browser.local.clear();
    browser.isOnline = true;
  });
  after(() => {
    for (const [name, descriptor] of before) {
      Reflect.deleteProperty(globalThis, name);
      if (descriptor !== undefined) Object.defineProperty(globalThis, name, descriptor);
    }
  });
  return browser;
}
