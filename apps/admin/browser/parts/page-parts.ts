// Reads the page again and replaces the parts that changed. A part is an element with an id and `data-live`. Everything that
// a person types into, chooses, or opens is outside of the parts, or does not change while they use it.

const token = document.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? '';

/** Reads this page again, without keeping the session alive. Null when it cannot be read now, or no longer. */
export async function readAgain(): Promise<Document | null> {
  try {
    const response = await fetch(location.pathname + location.search, {
      headers: { 'x-background': '1', accept: 'text/html' },
    });
    if (response.status === 404) document.dispatchEvent(new CustomEvent('page-gone'));
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return null;
  }
}

/**
 * Puts the live parts of a page that was read again in place of those that are shown.
 * @returns whether some were left as they are, because they are in use
 */
export function putParts(fresh: Document): boolean {
  let areLeft = false;
  for (const part of document.querySelectorAll<HTMLElement>('[data-live][id]')) {
    const next = fresh.getElementById(part.id);
    if (next === null) continue;
    if (part.dataset.live === 'merge') mergeItems(part, next);
    else if (part.innerHTML === next.innerHTML) continue;
    else if (isInUse(part)) areLeft = true;
    else part.replaceChildren(...next.childNodes);
  }
  return areLeft;
}

function isInUse(part: HTMLElement): boolean {
  if (part.querySelector(':popover-open, select:focus, input:focus, textarea:focus') !== null) return true;
  return [...part.querySelectorAll('textarea')].some(({ value, defaultValue }) => value !== defaultValue);
}

// An item stays when nothing of it has changed: pictures are not loaded again, an open question stays open.
function mergeItems(list: HTMLElement, next: HTMLElement): void {
  const focused = list.contains(document.activeElement) ? document.activeElement?.closest('[id]')?.id : undefined;
  const line = list.querySelector(':scope > .is-new');
  const under = line?.nextElementSibling?.id;
  // The line over what was unread when the page was opened stays where it was.
  if (line !== null) next.querySelector(':scope > .is-new')?.remove();
  const items = ([...next.children] as HTMLElement[]).map((item) => {
    const shown = item.id === '' ? null : document.getElementById(item.id);
    return shown !== null && shown.parentElement === list && isSame(shown, item) ? shown : item;
  });
  for (const old of [...list.children] as HTMLElement[]) if (!items.includes(old)) old.remove();
  let at = list.firstElementChild;
  for (const item of items) {
    if (item === at) at = item.nextElementSibling;
    else list.insertBefore(item, at);
  }
  if (line !== null && under !== undefined) document.getElementById(under)?.before(line);
  if (next.dataset.newest !== undefined) list.dataset.newest = next.dataset.newest;
  if (focused === undefined || list.contains(document.activeElement)) return;
  document.getElementById(focused)?.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true });
}

function isSame(shown: HTMLElement, item: HTMLElement): boolean {
  const { state } = item.dataset;
  return state === undefined ? shown.outerHTML === item.outerHTML : shown.dataset.state === state;
}

/** Asks for a change. `isBackground`: the page does it by itself, which does not keep the session alive. */
export async function post(path: string, fields: Record<string, string>, { isBackground = false } = {}): Promise<void> {
  const headers: Record<string, string> = { 'hx-request': 'true', 'x-csrf-token': token, accept: 'application/json' };
  if (isBackground) headers['x-background'] = '1';
  const response = await fetch(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  if (!response.ok) throw new Error(`${response.status}`);
}

/** A function that runs the work one at a time, and once more if it was called during that time. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running = false;
  let again = false;
  return async () => {
    again = true;
    if (running) return;
    running = true;
    try {
      while (again) {
        again = false;
        await work();
      }
    } finally {
      running = false;
    }
  };
}
