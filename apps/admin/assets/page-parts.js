// Reads the page again and replaces the parts that changed. A part is an element with an id and `data-live`. Whatever a
// person types into, chooses or has opened is outside of the parts, or is left alone while they use it.

const token = document.querySelector('input[name=_csrf]')?.value ?? '';

/** Reads this page again, without keeping the session alive. Null when it cannot be read now, or no longer. */
export async function readAgain() {
  try {
    const response = await fetch(location.pathname + location.search, { headers: { 'x-background': '1', accept: 'text/html' } });
    if (response.status === 404) document.dispatchEvent(new CustomEvent('page-gone'));
    if (!response.ok || response.redirected) return null;
    return new DOMParser().parseFromString(await response.text(), 'text/html');
  } catch {
    return null;
  }
}

/**
 * Puts the live parts of a page that was read again in place of those that are shown.
 * @returns whether some were left as they are, because somebody is at them
 */
export function putParts(fresh) {
  let areLeft = false;
  for (const part of document.querySelectorAll('[data-live][id]')) {
    const next = fresh.getElementById(part.id);
    if (next === null) continue;
    if (part.dataset.live === 'merge') mergeItems(part, next);
    else if (part.innerHTML === next.innerHTML) continue;
    else if (isInUse(part)) areLeft = true;
    else part.replaceChildren(...next.childNodes);
  }
  return areLeft;
}

function isInUse(part) {
  if (part.querySelector(':popover-open, select:focus, input:focus, textarea:focus') !== null) return true;
  return [...part.querySelectorAll('textarea')].some(({ value, defaultValue }) => value !== defaultValue);
}

// An item stays when nothing of it has changed: pictures are not loaded again, an open question stays open.
function mergeItems(list, next) {
  const focused = list.contains(document.activeElement) ? document.activeElement.closest('[id]')?.id : undefined;
  const line = list.querySelector(':scope > .is-new');
  const under = line?.nextElementSibling?.id;
  // The line over what was unread when the page was opened stays where it was.
  if (line !== null) next.querySelector(':scope > .is-new')?.remove();
  const items = [...next.children].map((item) => {
    const known = item.id === '' ? null : document.getElementById(item.id);
    return known !== null && known.parentElement === list && isSame(known, item) ? known : item;
  });
  for (const old of [...list.children]) if (!items.includes(old)) old.remove();
  let at = list.firstElementChild;
  for (const item of items) {
    if (item === at) at = at.nextElementSibling;
    else list.insertBefore(item, at);
  }
  if (line !== null) document.getElementById(under)?.before(line);
  if (next.dataset.newest !== undefined) list.dataset.newest = next.dataset.newest;
  if (focused === undefined || list.contains(document.activeElement)) return;
  document.getElementById(focused)?.querySelector('a, button')?.focus({ preventScroll: true });
}

function isSame(known, item) {
  const { state } = item.dataset;
  return state === undefined ? known.outerHTML === item.outerHTML : known.dataset.state === state;
}

/** Asks for a change. `isBackground`: the page does it by itself, which does not keep the session alive. */
export async function post(path, fields, { isBackground = false } = {}) {
  const headers = { 'hx-request': 'true', 'x-csrf-token': token, accept: 'application/json' };
  if (isBackground) headers['x-background'] = '1';
  const response = await fetch(path, { method: 'POST', headers, body: new URLSearchParams(fields) });
  if (!response.ok) throw new Error(`${response.status}`);
}

/** A function that runs the work once at a time, and once more when it was asked for meanwhile. */
export function oneAtATime(work) {
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
