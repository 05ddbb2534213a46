import './load-tsx.ts';
import assert from 'node:assert/strict';
import { environmentManager, notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { act, createElement, type ReactElement } from 'react';
import type { TestBrowser } from './test-browser.ts';

/** The longest time for code that a page loads on demand. */
const WITHIN_MS = 30_000;

/** A part of the application as React shows it in a test's browser, and what a person does with it. */
export class ShownPage {
  readonly #container: HTMLElement;
  readonly #browser: TestBrowser;
  readonly #render: (element: ReactElement) => Promise<void>;
  readonly close: () => Promise<void>;
  /** The cache of API answers. */
  readonly client: QueryClient;

  constructor(
    browser: TestBrowser,
    parts: Pick<ShownPage, 'close' | 'client'> & { render: (element: ReactElement) => Promise<void>; container: HTMLElement },
  ) {
    this.#browser = browser;
    this.#render = parts.render;
    this.#container = parts.container;
    this.close = parts.close;
    this.client = parts.client;
  }

  /** Shows the element in place of the previous one, which keeps its state if it is of the same kind. */
  show(element: ReactElement): Promise<void> {
    return this.#render(element);
  }

  get text(): string {
    return this.#container.textContent;
  }
  elements<One extends HTMLElement = HTMLElement>(test: (element: One) => boolean): One[] {
    return [...this.#container.querySelectorAll<One>('*')].filter(test);
  }
  /** The texts of all alerts and errors of fields. */
  get problems(): string[] {
    return this.#texts('[role=alert], .field-error');
  }
  get status(): string[] {
    return this.#texts('[role=status]');
  }
  #texts(selector: string) {
    return [...this.#container.querySelectorAll(selector)].map(({ textContent }) => textContent).filter(Boolean);
  }

  /** Finds a button or link by its name. */
  button(name: string): HTMLButtonElement {
    const button = this.#buttons(name)[0];
    assert.ok(button, `There is no button “${name}” in: ${this.text}`);
    return button;
  }
  has(name: string): boolean {
    return this.#buttons(name).length > 0;
  }
  #buttons(name: string) {
    return [...this.#container.querySelectorAll<HTMLButtonElement>('button, a')].filter((one) => nameOf(one) === name);
  }
  /** Finds a control by its label. */
  field(label: string): HTMLInputElement {
    const isIt = (one: HTMLInputElement) =>
      one.getAttribute('aria-label') === label || [...(one.labels ?? [])].some((its) => spokenText(its).trim() === label);
    const field = [...this.#container.querySelectorAll<HTMLInputElement>('input, select, textarea')].find(isIt);
    assert.ok(field, `There is no field “${label}” in: ${this.text}`);
    return field;
  }

  /** Presses a button as a person can: not one that is disabled. */
  async press(name: string): Promise<void> {
    const button = this.button(name);
    assert.ok(!button.matches(':disabled'), `“${name}” is disabled.`);
    await act(async () => {
      button.focus();
      button.click();
    });
  }
  /** Changes the text of a field, or the choice of a list. */
  async type(label: string, text: string): Promise<void> {
    const field = await this.#enter(label);
    // React watches each element's own property, through which only scripts change the value.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, text);
    await this.fire(field, field.tagName === 'SELECT' ? 'change' : 'input');
  }
  async check(label: string): Promise<void> {
    const field = await this.#enter(label);
    await act(async () => field.click());
  }
  async leave(label: string): Promise<void> {
    const field = this.field(label);
    await act(async () => field.blur());
  }
  /** Chooses files. Afterwards the picker must be empty, because a browser reports no change if it still has the same file. */
  async choose(label: string, ...files: unknown[]): Promise<void> {
    const field = await this.#enter(label);
    let chosen = files;
    Object.defineProperties(field, {
      files: { get: () => chosen, configurable: true },
      value: {
        get: () => (chosen.length === 0 ? '' : 'C:\\fakepath\\file'),
        set: () => {
          chosen = [];
        },
        configurable: true,
      },
    });
    await this.fire(field, 'change');
    assert.equal(field.value, '', `“${label}” still has its files, so the same ones cannot be chosen again.`);
  }
  /** Focuses a control as a person can: not one that is disabled. */
  async #enter(label: string): Promise<HTMLInputElement> {
    const field = this.field(label);
    assert.ok(!field.matches(':disabled'), `“${label}” is disabled.`);
    await act(async () => field.focus());
    return field;
  }

  /** Sends all forms of the page at once, also those whose buttons are disabled. */
  async sendForms(): Promise<void> {
    for (const form of this.elements(({ tagName }) => tagName === 'FORM')) await this.fire(form, 'submit');
    await this.settle();
  }

  /** Fires an event at an element. @returns true if the page prevented what the browser would do. */
  async fire(target: Element, type: string, more: object = {}): Promise<boolean> {
    const { MouseEvent, Event } = this.#browser.window;
    const event = new (type === 'click' ? MouseEvent : Event)(type, { bubbles: true, cancelable: true });
    await act(async () => void target.dispatchEvent(Object.assign(event, more)));
    return event.defaultPrevented;
  }
  /** Lets everything happen that is due, in the middle of something else. */
  async settle(work: () => unknown = () => undefined): Promise<void> {
    await act(async () => {
      await work();
      for (let turns = 0; turns < 3; turns += 1) await turn();
    });
  }
  /** Waits for code that the page loads on demand. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    const end = performance.now() + WITHIN_MS;
    while (!isSo()) {
      if (performance.now() > end) assert.fail(`never happened: ${what}. The page: ${this.text}`);
      await this.settle();
    }
  }
}

/** Shows a part of the application within the providers that every page has. */
export async function showPage(browser: TestBrowser, element: ReactElement, path = '/page'): Promise<ShownPage> {
  environmentManager.setIsServer(() => false);
  // By default a timer brings the answers to the page, which a test may have stopped.
  notifyManager.setScheduler((work) => void setImmediate(work));
  const { createRoot } = await import('react-dom/client');
  const { AppRouterContext } = await import('next/dist/shared/lib/app-router-context.shared-runtime.js');
  const { PathnameContext, SearchParamsContext } = await import('next/dist/shared/lib/hooks-client-context.shared-runtime.js');
  const { Providers } = await import('../shell/providers.tsx');
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  const [pathname = '', search = ''] = path.split('?');
  let client: QueryClient | undefined;
  const Inner = ({ children }: { children?: ReactElement }) => {
    client = useQueryClient();
    // Otherwise answers would be kept for minutes, and with them this process.
    client.setDefaultOptions({
      queries: { ...client.getDefaultOptions().queries, gcTime: Infinity },
      mutations: { gcTime: Infinity },
    });
    return children;
  };
  const frame = (content: ReactElement) => {
    const provided = createElement(Providers, null, createElement(Inner, null, content));
    const placed = createElement(SearchParamsContext, { value: new URLSearchParams(search) as never }, provided);
    return createElement(
      AppRouterContext,
      { value: browser.router },
      createElement(PathnameContext, { value: pathname }, placed),
    );
  };
  const render = (content: ReactElement) => act(async () => root.render(frame(content)));
  const close = async () => {
    browser.open.delete(close);
    await act(async () => {
      root.unmount();
      container.remove();
    });
    client?.clear();
  };
  browser.open.add(close);
  await render(element);
  assert.ok(client);
  return new ShownPage(browser, { render, close, container, client });
}

/** Returns the value of a hook at its last rendering, on a page that shows nothing else. */
export async function showHook<Props, Value>(browser: TestBrowser, use: (props: Props) => Value, props: Props) {
  const shown: Value[] = [];
  const Probe = ({ now }: { now: Props }) => {
    shown.push(use(now));
    return null;
  };
  const page = await showPage(browser, createElement(Probe, { now: props }));
  return {
    page,
    get value(): Value {
      return shown.at(-1) as Value;
    },
    show: (now: Props) => page.show(createElement(Probe, { now })),
  };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nameOf(element: Element): string {
  return (element.getAttribute('aria-label') ?? spokenText(element)).trim();
}

/** Returns the text that screen readers read. */
function spokenText(node: ChildNode): string {
  if (node.nodeType !== node.ELEMENT_NODE) return node.textContent ?? '';
  return (node as Element).getAttribute('aria-hidden') === 'true' ? '' : [...node.childNodes].map(spokenText).join('');
}
