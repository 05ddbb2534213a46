import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, NodeResult } from 'axe-core';
import type { Page } from 'playwright-core';

/** The globals that the scripts below use in a page. */
interface Axe {
  axe: { run(context: unknown, options: object): Promise<AxeResults> };
  textParts: unknown[];
}

const SOURCE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The rules about colors, by far the slowest ones. */
const COLORS = ['color-contrast', 'link-in-text-block'];
/** Slow rules whose violations are moderate at most, which are left out below anyway. */
const MODERATE = ['region', 'heading-order', 'landmark-unique', 'landmark-one-main', 'page-has-heading-one', 'skip-link'];
const STRUCTURE = { rules: Object.fromEntries([...MODERATE, ...COLORS].map((name) => [name, { enabled: false }])) };

/** Waits for fonts and for color transitions, including those that start when another one ends. */
const SETTLED = `(async () => {
  await document.fonts.ready;
  for (;;) {
    const changes = document.getAnimations().filter((one) => one instanceof CSSTransition);
    if (changes.length === 0) return;
    await Promise.allSettled(changes.map(({ finished }) => finished));
  }
})()`;

/**
 * Runs in the page. Lists the look of each visible text: everything that the rules about colors depend on, which is its color,
 * size, weight, and underline, the color of the text around it, if any, and the backgrounds behind it.
 */
const LIST_LOOKS = `(() => {
  const grounds = new Map();
  const hasText = (part) => [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  globalThis.textParts = [];
  return [...document.querySelectorAll('html, body, body *')].flatMap((part) => {
    const style = getComputedStyle(part);
    const own = [style.backgroundColor, style.backgroundImage, style.opacity].join();
    const ground = (grounds.get(part.parentElement) ?? '') + (own === 'rgba(0, 0, 0, 0),none,1' ? '' : own + ' on ');
    grounds.set(part, ground);
    if (!('value' in part || hasText(part)) || !part.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
    globalThis.textParts.push(part);
    const around = hasText(part.parentElement) && getComputedStyle(part.parentElement).color;
    return [ground + [around, style.color, style.fontSize, style.fontWeight, style.textDecorationLine].join()];
  });
})()`;
/** The looks that were checked in this process. Most pages consist of the same ones. */
const checkedLooks = new Set<string>();

/** Lists the serious and critical violations that axe-core finds on a page in its current state. */
async function findViolations(page: Page): Promise<string[]> {
  return [...(await findColors(page)), ...(await runAxe(page, STRUCTURE))];
}

/** Lists the violations of the rules about colors, in looks of text that were not checked yet. */
async function findColors(page: Page): Promise<string[]> {
  await page.evaluate(SETTLED);
  const looks = await page.evaluate<string[]>(LIST_LOOKS);
  const unchecked = looks.flatMap((look, at) => (checkedLooks.has(look) ? [] : at));
  for (const look of looks) checkedLooks.add(look);
  return unchecked.length === 0 ? [] : runAxe(page, { runOnly: COLORS }, unchecked);
}

/** @param only positions of the text parts to check (LIST_LOOKS); by default the whole page is checked */
async function runAxe(page: Page, options: object, only?: number[]): Promise<string[]> {
  // The debugger evaluates the script, so the page's Content-Security-Policy does not apply.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  const { violations } = await page.evaluate(
    ([options, only]) => {
      const { axe, textParts } = globalThis as unknown as Axe;
      return axe.run(only?.map((at) => textParts[at]) ?? 'html', options);
    },
    // None of the rules that are on reads style sheets.
    [{ resultTypes: ['violations'], preload: false, ...options }, only] as const,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map(explained).join('; ')})`);
}

/** The two looks in which pages are checked. The narrow one is a wide window at 400% zoom (WCAG 1.4.10). */
export const WIDE = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
const NARROW = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' } as const;

/**
 * Runs in the page. Lists the parts that are hidden and the parts that scroll, which change with the width of the page.
 */
const LIST_LAYOUT = `[...document.querySelectorAll('body *')].flatMap((part) => {
  const scrolls = () => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1;
  const kind = !part.checkVisibility({ visibilityProperty: true }) ? 'hides'
    : /auto|scroll/.test(getComputedStyle(part).overflow) && scrolls() ? 'scrolls' : null;
  return kind === null ? [] : [part.parentElement, part].map((one) => one.tagName + '.' + one.getAttribute('class')).join() + kind;
})`;
/** The differences of layout between the looks that were checked in this process. Most pages differ in their navigation only. */
const checkedChanges = new Set<string>();

/**
 * Checks a page in the look in which it was loaded and then in the other one, which it keeps, because each change costs as much
 * as a check. So the next page of a window is loaded in the other look.
 * @param whenNarrow checks the page further while it is narrow
 */
export async function findInBothLooks(page: Page, whenNarrow = async () => {}): Promise<Record<'wide' | 'narrow', string[]>> {
  const isWide = page.viewportSize()?.width === WIDE.viewport.width;
  const first = await findViolations(page);
  if (!isWide) await whenNarrow();
  const before = new Set(await page.evaluate<string[]>(LIST_LAYOUT));
  const { viewport, colorScheme } = isWide ? NARROW : WIDE;
  await Promise.all([page.setViewportSize(viewport), page.emulateMedia({ colorScheme })]);
  const second = await findColors(page);
  const change = [...before.symmetricDifference(new Set(await page.evaluate<string[]>(LIST_LAYOUT)))].sort().join();
  if (!checkedChanges.has(change)) second.push(...(await runAxe(page, STRUCTURE)));
  checkedChanges.add(change);
  if (isWide) await whenNarrow();
  return isWide ? { wide: first, narrow: second } : { wide: second, narrow: first };
}

/** Fails when axe-core finds a serious or critical violation on a page in its current state. */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  assert.deepEqual(await findViolations(page), [], what);
}

function explained({ html, any }: NodeResult): string {
  return [html, ...any.map(({ message }) => message)].join(' ');
}
