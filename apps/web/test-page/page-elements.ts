type Listener = (event: object) => void;

/** A part of a page: as much of the browser's document as React and the components use. */
export class TestNode {
  parentNode: TestElement | null = null;
  readonly nodeType: number;
  readonly nodeName: string;
  nodeValue: string | null = null;
  get ownerDocument(): typeof testDocument {
    return testDocument;
  }

  constructor(nodeType: number, nodeName: string) {
    this.nodeType = nodeType;
    this.nodeName = nodeName;
  }

  get textContent(): string {
    return this.nodeValue ?? '';
  }
  set textContent(text: string) {
    this.nodeValue = text;
  }
}

export class TestElement extends TestNode {
  readonly childNodes: TestNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, unknown> = { setProperty() {} };
  readonly dataset: Record<string, string> = {};
  readonly tagName: string;
  namespaceURI = 'http://www.w3.org/1999/xhtml';
  checked = false;
  selected = false;
  open = false;
  scrollTop = 0;
  scrollHeight = 0;
  /** The files that the person has chosen. */
  files: unknown[] | null = null;
  #value: string | undefined;
  #default = '';
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(name: string) {
    super(1, name.toUpperCase());
    this.tagName = this.nodeName;
  }

  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  get lastChild() {
    return this.childNodes.at(-1) ?? null;
  }
  appendChild(child: TestNode) {
    return this.insertBefore(child, null);
  }
  insertBefore(child: TestNode, next: TestNode | null) {
    child.parentNode?.removeChild(child);
    this.childNodes.splice(next === null ? this.childNodes.length : this.childNodes.indexOf(next), 0, child);
    child.parentNode = this;
    return child;
  }
  removeChild(child: TestNode) {
    const at = this.childNodes.indexOf(child);
    if (at >= 0) this.childNodes.splice(at, 1);
    child.parentNode = null;
    return child;
  }
  contains(other: TestNode | null): boolean {
    return other !== null && (other === this || this.contains(other.parentNode));
  }

  setAttribute(name: string, value: unknown) {
    this.attributes.set(name, String(value));
  }
  removeAttribute(name: string) {
    this.attributes.delete(name);
  }
  getAttribute(name: string) {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name: string) {
    return this.attributes.has(name);
  }

  addEventListener(type: string, listener: Listener, options?: boolean | { capture?: boolean }) {
    const isFirst = options === true || (typeof options === 'object' && options.capture === true);
    const key = `${type} ${isFirst}`;
    this.#listeners.set(key, (this.#listeners.get(key) ?? new Set()).add(listener));
  }
  removeEventListener(type: string, listener: Listener) {
    for (const isFirst of [true, false]) this.#listeners.get(`${type} ${isFirst}`)?.delete(listener);
  }
  /** Sends an event through the page as a browser does. @returns true if the page prevented what the browser would do. */
  send(type: string, more: object = {}): boolean {
    let isPrevented = false;
    const event = {
      type,
      target: this,
      bubbles: true,
      timeStamp: performance.now(),
      preventDefault: () => {
        isPrevented = true;
      },
      stopPropagation() {},
      ...more,
    };
    const path: TestElement[] = [];
    for (let element: TestElement | null = this; element !== null; element = element.parentNode) path.push(element);
    for (const element of path.toReversed()) element.hear(event, true);
    for (const element of path) element.hear(event, false);
    return isPrevented;
  }
  requestSubmit() {
    this.send('submit');
  }
  hear(event: { type: string }, isFirst: boolean) {
    for (const listener of [...(this.#listeners.get(`${event.type} ${isFirst}`) ?? [])]) listener(event);
  }

  get value(): string {
    if (this.tagName === 'OPTION') return this.getAttribute('value') ?? this.textContent;
    if (this.tagName === 'SELECT') return this.#choice;
    return this.#value ?? (this.attributes.get('value') || this.#default);
  }
  set value(value: string) {
    if (this.tagName === 'SELECT') for (const option of this.options) option.selected = option.value === value;
    this.#value = String(value);
  }
  /** As in a browser, the first option is chosen until a value is set, and none by a value that no option has. */
  get #choice(): string {
    const chosen = this.options.find(({ selected }) => selected) ?? (this.#value === undefined ? this.options[0] : undefined);
    return chosen?.value ?? '';
  }
  get defaultValue(): string {
    return this.#default;
  }
  set defaultValue(value: string) {
    this.#default = String(value);
  }
  get options(): TestElement[] {
    return this.all().filter(({ tagName }) => tagName === 'OPTION');
  }
  get type(): string {
    return this.attributes.get('type') ?? 'text';
  }
  set type(type: string) {
    this.setAttribute('type', type);
  }
  get name(): string {
    return this.attributes.get('name') ?? '';
  }
  set name(name: string) {
    this.setAttribute('name', name);
  }
  get id(): string {
    return this.attributes.get('id') ?? '';
  }
  get isConnected(): boolean {
    return testDocument.documentElement.contains(this);
  }
  /** The controls of a form. */
  get elements() {
    return { namedItem: (name: string) => namedControl(this.all().filter((one) => one.name === name)) };
  }

  override get textContent(): string {
    return this.childNodes.map((child) => child.textContent).join('');
  }
  override set textContent(text: string) {
    this.childNodes.splice(0);
    if (text !== '') this.appendChild(textNode(text));
  }

  focus() {
    testDocument.activeElement = this;
  }
  blur() {}
  click() {}
  scrollTo({ top }: { top: number }) {
    this.scrollTop = top;
  }
  showModal() {
    this.open = true;
  }
  /** As in a browser, a closed dialog reports it. */
  close() {
    this.open = false;
    this.send('close');
  }
  querySelectorAll(): TestElement[] {
    return [];
  }
  /** Lists this element and all elements in it. */
  all(): TestElement[] {
    return [this, ...this.childNodes.flatMap((child) => (child instanceof TestElement ? child.all() : []))];
  }
}

/** The radio buttons of a form that have one name. */
export class TestRadioNodeList extends Array<TestElement> {
  get value(): string {
    return this.find(({ checked }) => checked)?.value ?? '';
  }
  set value(value: string) {
    for (const radio of this) radio.checked = radio.value === value;
  }
}

function namedControl(controls: TestElement[]) {
  return controls.length > 1 ? TestRadioNodeList.from(controls) : (controls[0] ?? null);
}

function textNode(text: string): TestNode {
  const node = new TestNode(3, '#text');
  node.nodeValue = text;
  return node;
}

class TestDocument extends EventTarget {
  readonly nodeType = 9;
  readonly nodeName = '#document';
  /** Says to React that this document has the event. */
  readonly oninput = null;
  activeElement: TestElement | null = null;
  visibilityState: 'visible' | 'hidden' = 'visible';
  title = '';
  cookie = '';
  readonly defaultView = globalThis;
  readonly documentElement = new TestElement('html');
  readonly head = new TestElement('head');

  createElement(name: string) {
    return new TestElement(name);
  }
  createElementNS(_space: string, name: string) {
    return new TestElement(name);
  }
  createTextNode(text: string) {
    return textNode(text);
  }
  getElementById(id: string) {
    return this.documentElement.all().find((element) => element.id === id) ?? null;
  }
  /** Tells the page that it has come to the foreground, or has left it. */
  setVisible(isVisible: boolean) {
    this.visibilityState = isVisible ? 'visible' : 'hidden';
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

export const testDocument: TestDocument = new TestDocument();
