import './load-tsx.ts';
import assert from 'node:assert/strict';
import { environmentManager, notifyManager, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { act, createElement, type ReactElement } from 'react';
import { TestElement, type TestNode, testDocument } from './page-elements.ts';
import type { TestBrowser } from './test-browser.ts';

/** Changes a value as a person does. React watches each element's own property, through which only scripts change it. */
const setValue = Object.getOwnPropertyDescriptor(TestElement.prototype, 'value')?.set as (text: string) => void;

/** The longest time for code that a page loads on demand. */
const WITHIN_MS = 30_000;

/** A part of the application as React shows it in a test's browser, and what a person does with it. */
export class ShownPage {
  readonly #container: TestElement;
  readonly #render: (element: ReactElement) => Promise<void>;
  readonly close: () => Promise<void>;
  /** The cache of API answers. */
  readonly client: QueryClient;

  constructor(
    parts: Pick<ShownPage, 'close' | 'client'> & { render: (element: ReactElement) => Promise<void>; container: TestElement },
  ) {
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
  elements(test: (element: TestElement) => boolean): TestElement[] {
    return this.#container.all().filter(test);
  }
  /** The texts of all alerts and errors of fields. */
  get problems(): string[] {
    const isProblem = (one: TestElement) => one.getAttribute('role') === 'alert' || /\bfield-error\b/.test(classOf(one));
    return this.elements(isProblem)
      .map(({ textContent }) => textContent)
      .filter(Boolean);
  }
  get status(): string[] {
    return this.elements((one) => one.getAttribute('role') === 'status')
      .map(({ textContent }) => textContent)
      .filter(Boolean);
  }

  /** Finds a button or link by its name. */
  button(name: string): TestElement {
    const button = this.#buttons(name)[0];
    assert.ok(button, `There is no button “${name}” in: ${this.text}`);
    return button;
  }
  has(name: string): boolean {
    return this.#buttons(name).length > 0;
  }
  #buttons(name: string) {
    return this.elements((one) => ['BUTTON', 'A'].includes(one.tagName) && nameOf(one) === name);
  }
  /** Finds a control by its label. */
  field(label: string): TestElement {
    const ids = this.elements((one) => one.tagName === 'LABEL' && one.textContent === label).map((one) =>
      one.getAttribute('for'),
    );
    const isIt = (one: TestElement) =>
      ids.includes(one.id) || one.getAttribute('aria-label') === label || labelAround(one) === label;
    const field = this.elements((one) => /^(INPUT|SELECT|TEXTAREA)$/.test(one.tagName) && isIt(one))[0];
    assert.ok(field, `There is no field “${label}” in: ${this.text}`);
    return field;
  }

  /** Presses a button as a person can: not one that is disabled. */
  async press(name: string): Promise<void> {
    const button = this.button(name);
    assert.ok(!isDisabled(button), `“${name}” is disabled.`);
    await this.fire(button, 'click');
    const form = ancestors(button).find(({ tagName }) => tagName === 'FORM');
    if (button.type === 'submit' && form !== undefined) await this.fire(form, 'submit');
  }
  /** Changes the text of a field, or the choice of a list. */
  async type(label: string, text: string): Promise<void> {
    const field = this.field(label);
    assert.ok(!isDisabled(field), `“${label}” is disabled.`);
    setValue.call(field, text);
    await this.fire(field, field.tagName === 'SELECT' ? 'change' : 'input');
  }
  async check(label: string): Promise<void> {
    const field = this.field(label);
    assert.ok(!isDisabled(field), `“${label}” is disabled.`);
    const isRadio = field.type === 'radio';
    const group = isRadio ? this.elements((one) => one.type === 'radio' && one.name === field.name) : [field];
    for (const one of group) one.checked = one === field && (isRadio || !one.checked);
    await this.fire(field, 'click');
  }
  async leave(label: string): Promise<void> {
    await this.fire(this.field(label), 'focusout');
  }
  async choose(label: string, ...files: unknown[]): Promise<void> {
    const field = this.field(label);
    field.files = files;
    await this.fire(field, 'change');
  }

  /** Fires an event at an element. @returns true if the page prevented what the browser would do. */
  async fire(target: TestElement, type: string, more: object = {}): Promise<boolean> {
    let isPrevented = false;
    await act(async () => {
      isPrevented = target.send(type, more);
    });
    return isPrevented;
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
  const container = new TestElement('div');
  testDocument.documentElement.appendChild(container);
  const root = createRoot(container as unknown as Element);
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
      testDocument.documentElement.removeChild(container);
    });
    client?.clear();
  };
  browser.open.add(close);
  await render(element);
  assert.ok(client);
  return new ShownPage({ render, close, container, client });
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

function nameOf(element: TestElement): string {
  return (element.getAttribute('aria-label') ?? spokenText(element)).trim();
}

/** Returns the text that screen readers read. */
function spokenText(node: TestNode): string {
  if (!(node instanceof TestElement)) return node.textContent;
  return node.getAttribute('aria-hidden') === 'true' ? '' : node.childNodes.map(spokenText).join('');
}

function classOf(element: TestElement): string {
  return element.getAttribute('class') ?? '';
}

function labelAround(element: TestElement): string | undefined {
  const label = ancestors(element).find(({ tagName }) => tagName === 'LABEL');
  return label === undefined ? undefined : spokenText(label).trim();
}

function ancestors(element: TestElement): TestElement[] {
  return element.parentNode === null ? [] : [element.parentNode, ...ancestors(element.parentNode)];
}

function isDisabled(element: TestElement): boolean {
  return [element, ...ancestors(element).filter(({ tagName }) => tagName === 'FIELDSET')].some((one) =>
    one.hasAttribute('disabled'),
  );
}
