/** Writes in lines what a person reads on a page and can do there. It needs no browser, because the server renders all of it. */

interface Element {
  tag: string;
  attributes: Map<string, string>;
  children: (Element | string)[];
}

const TOKEN = /<!--[\s\S]*?-->|<\/([\w-]+)>|<([\w-]+)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*\/?>|<!DOCTYPE[^>]*>|[^<]+/gi;
const ATTRIBUTE = /([^\s=]+)(?:="([^"]*)")?/g;
const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
/** Elements within a line. Every other element begins a line. */
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'br',
  'button',
  'code',
  'em',
  'i',
  'img',
  'option',
  'small',
  'span',
  'strong',
  'svg',
  'td',
  'th',
  'time',
]);
/** Elements whose parts are in one line. */
const ITEMS = new Set(['article', 'header', 'hgroup', 'dl', 'fieldset', 'label', 'legend', 'li', 'ol', 'search', 'tr']);
const PARTS = new Set(['div', 'dt', 'form', 'h3', 'input', 'label', 'p', 'td', 'th', 'ul']);
/** Attributes that nobody notices, or that only connect elements, which the lines name instead. */
const UNNOTICED =
  /^(class|id|style|tabindex|for|aria-describedby|aria-labelledby|aria-label|datetime|title|href|data-.*|decoding|src|srcset|alt|width|height|d|fill|stroke.*|viewbox|xmlns|type|value|selected|lang)$/;
/** Classes that show a state by a color or a line. */
const STATE =
  /^(is-(waiting|active|done|refused|error|unread|now|mine|staff|new|short|month|in|balance)|over-benefit|line-through|sr-only)$/;

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const decode = (text: string) =>
  text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (_, hex, decimal, name) =>
    name === undefined
      ? String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
      : (ENTITIES[name] ?? name),
  );

function parse(html: string): Element {
  const root: Element = { tag: '', attributes: new Map(), children: [] };
  const open = [root];
  for (const [token, closed, tag, attributes = ''] of html.replaceAll(/<(script|style)\b[\s\S]*?<\/\1>/g, '').matchAll(TOKEN)) {
    const inside = open.at(-1) ?? root;
    if (closed !== undefined) {
      while (open.length > 1 && open.pop()?.tag !== closed.toLowerCase());
    } else if (tag !== undefined) {
      const pairs = [...attributes.matchAll(ATTRIBUTE)].map(
        ([, name = '', value = '']) => [name.toLowerCase(), decode(value)] as const,
      );
      const element = { tag: tag.toLowerCase(), attributes: new Map(pairs), children: [] };
      inside.children.push(element);
      if (!VOID.has(element.tag) && !token.endsWith('/>')) open.push(element);
    } else if (!token.startsWith('<!')) inside.children.push(decode(token));
  }
  return root;
}

const elementsOf = (root: Element): Element[] =>
  root.children.flatMap((one) => (typeof one === 'string' ? [] : [one, ...elementsOf(one)]));
const textOf = (one: Element | string): string =>
  typeof one === 'string' ? one : one.children.map(textOf).join('').replaceAll(/\s+/g, ' ');

export interface PageLines {
  title: string;
  /** The lines of `<main>`; of the whole page if it has none. */
  main: string[];
  /** The lines of everything around it. */
  shell: string[];
}

/** Reads a page of React's server renderer. */
export function pageLines(html: string): PageLines {
  const root = parse(html);
  const all = elementsOf(root);
  const main = all.find(({ tag }) => tag === 'main');
  const body = all.find(({ tag }) => tag === 'body') ?? root;
  const write = createWriter(all);
  const title = textOf(all.find(({ tag }) => tag === 'title') ?? '');
  return main === undefined ? { title, main: write(body), shell: [] } : { title, main: write(main), shell: write(body, main) };
}

function createWriter(all: readonly Element[]): (from: Element, without?: Element) => string[] {
  const byId = new Map(all.map((one) => [one.attributes.get('id'), one]));
  const labels = new Map(
    all.filter(({ tag }) => tag === 'label').map((label) => [label.attributes.get('for'), textOf(label).trim()]),
  );
  const connected = new Set(
    all.flatMap(({ attributes }) =>
      ['aria-labelledby', 'aria-describedby', 'for'].flatMap((name) => (attributes.get(name) ?? '').split(' ')),
    ),
  );
  const named = (ids: string) =>
    ids
      .split(' ')
      .filter(Boolean)
      .map((id) => textOf(byId.get(id) ?? 'MISSING').trim())
      .join(' ');

  /** The attributes of an element, and the texts of the elements that describe it. */
  const describe = (one: Element): string => {
    const { tag, attributes } = one;
    const words: string[] = [];
    const add = (name: string, value: string | undefined) => value !== undefined && words.push(`${name}="${value}"`);
    const id = attributes.get('id');
    if (id !== undefined && !id.startsWith('_') && !connected.has(id)) words.push(`#${id}`);
    const label = labels.get(id ?? '') ?? attributes.get('aria-label');
    const ids = attributes.get('aria-labelledby');
    // Most parts of a page have the name of their own heading.
    const inside = tag === 'section' || tag === 'article' || tag === 'form' ? elementsOf(one) : [];
    const isTitled = inside.some(
      (inner) => inner.attributes.get('id') === ids || (inner.tag === 'h2' && textOf(inner) === label),
    );
    if (!isTitled) add('label', label);
    if (!isTitled && ids !== undefined) add('labelled', named(ids));
    if (attributes.get('aria-describedby')) add('described', named(attributes.get('aria-describedby') ?? ''));
    if (tag !== 'a' && tag !== 'time') add('title', attributes.get('title'));
    const ownNames =
      tag === 'time' || tag === 'option' ? [] : ['type', 'value', 'lang'].filter((name) => attributes.get(name) !== 'button');
    for (const name of ownNames) add(name, attributes.get(name));
    for (const [name, value] of attributes)
      if (!UNNOTICED.test(name)) words.push(value === '' || value === 'true' ? name : `${name}="${value}"`);
    return words.length === 0 ? '' : ` [${words.join(' ')}]`;
  };
  const stateOf = ({ attributes }: Element) =>
    (attributes.get('class') ?? '')
      .split(' ')
      .filter((name) => STATE.test(name))
      .map((name) => `~${name.replace(/^is-/, '')}`)
      .join('');

  return (from, without) => {
    const lines: string[] = [];
    let line = '';
    const flush = () => {
      const text = line
        .replace(/[\s/]+$/, '')
        .replaceAll(/\s+/g, ' ')
        .replace(/^(\S+) \//, '$1');
      // Nothing is read in an empty live region.
      if (/ /.test(text) && !/^(main \[#main\]|p~sr-only \[role="status"\])$/.test(text)) lines.push(text);
      line = '';
    };
    const inline = (one: Element | string): string => {
      if (typeof one === 'string') return one;
      const { tag, attributes } = one;
      if (!INLINE.has(tag)) return inlineChildren(one);
      if (tag === 'svg') return drawingOf(one);
      if (tag === 'img') return `(img "${attributes.get('alt') ?? 'NO ALT'}" ${attributes.get('src')})`;
      if (tag === 'time') return timeOf(one);
      const text = inlineChildren(one);
      if (tag === 'a') {
        const title = attributes.has('title') ? ` "${attributes.get('title')}"` : '';
        return `[${text}](${attributes.get('href')}${title})${describe(one)}${stateOf(one)}`;
      }
      if (tag === 'option') {
        const value = attributes.get('value') ?? text;
        return `${attributes.has('selected') ? '*' : ''}${text}${value === text ? '' : `=${value}`}, `;
      }
      if (tag === 'td' || tag === 'th') return `${text}${stateOf(one)}${describe(one)} | `;
      if (tag === 'button') return `<${text}>${describe(one)}`;
      const isHidden = attributes.get('aria-hidden') === 'true';
      return `${isHidden && text !== '' ? `_${text}_` : text}${describe({ ...one, attributes: shownAttributes(attributes) })}${stateOf(one)}`;
    };
    /** The words of a time, the exact time, and its value. Screen readers get the exact time instead of the words. */
    const timeOf = (one: Element): string => {
      const [title, value] = ['title', 'datetime'].map((name) => one.attributes.get(name) ?? 'NONE');
      const texts = one.children.map((child) => (typeof child === 'string' ? child : inline(child)));
      return `{${[...texts.filter((text) => text !== `${title}~sr-only`), title, value].join(' = ')}${describe(one)}}`;
    };
    /** A chart with the places of its bars; nothing for an ornament. */
    const drawingOf = (one: Element): string => {
      const bars = elementsOf(one).filter(({ tag }) => tag === 'rect');
      const isOrnament = one.attributes.get('role') !== 'img' && !one.attributes.has('preserveaspectratio');
      if (isOrnament) return '';
      const round = (text: string | undefined) => Number(Number(text ?? 0).toFixed(3));
      const places = bars.map(({ attributes }) =>
        ['x', 'y', 'width', 'height'].map((name) => round(attributes.get(name))).join(' '),
      );
      return `(chart ${one.attributes.get('aria-label') ?? ''}${bars.map((bar, at) => `; ${places[at]}${stateOf(bar)}`).join('')})`;
    };
    /** Texts of two elements without a space between them are divided by a bar. */
    const inlineChildren = ({ children }: Element): string =>
      children.reduce<string>((before, child) => joined(before, inline(child), child), '');
    const joined = (before: string, text: string, child: Element | string) => {
      const touches = typeof child !== 'string' && child.tag !== 'time' && /[^\s(|]$/.test(before) && /^[^\s).,]/.test(text);
      return before + (touches ? '|' : '') + text;
    };
    /** Writes an element from a new line on. The parts of an item of a list are in one line, like a term with its description. */
    const walk = (one: Element, isInItem = false) => {
      // The field has the text of its label.
      if (one === without || (one.tag === 'label' && one.attributes.has('for'))) return;
      const sign = one.tag === 'dd' ? ':' : line.trimEnd().endsWith('/') ? '' : ' /';
      const isStep = one.tag === 'li' && !hasBlock(one);
      const isJoined = line !== '' && (one.tag === 'dd' || (isInItem && (isStep || PARTS.has(one.tag))));
      const start = `${stateOf(one)}${one.tag === 'a' ? `(${one.attributes.get('href')})` : ''}${describe(one)} `;
      if (!isJoined) flush();
      line = isJoined ? `${line.trimEnd()}${sign}${start}` : `${one.tag}${start}`;
      for (const child of one.children) {
        if (typeof child === 'string' || (INLINE.has(child.tag) && !hasBlock(child))) line = joined(line, inline(child), child);
        else walk(child, one.tag !== 'ul' && (isInItem || ITEMS.has(one.tag) || one.attributes.has('role')));
      }
      if (!isJoined) flush();
    };
    const hasBlock = (one: Element): boolean =>
      one.tag !== 'svg' && one.children.some((child) => typeof child !== 'string' && (!INLINE.has(child.tag) || hasBlock(child)));
    walk(from);
    flush();
    return lines;
  };
}

/** A hidden text is marked as a whole. */
const shownAttributes = (attributes: Map<string, string>) => new Map([...attributes].filter(([name]) => name !== 'aria-hidden'));
