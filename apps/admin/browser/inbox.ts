// Keeps the list of chains up to date, and makes it usable by keyboard.
import { getElement } from './parts/elements.ts';
import { onLive } from './parts/live-events.ts';
import { oneAtATime, post, putParts, readAgain } from './parts/page-parts.ts';

const list = getElement('#chain-rows');
const status = getElement('#inbox-said');

const refresh = oneAtATime(async () => {
  const fresh = await readAgain();
  if (fresh !== null) putParts(fresh);
});
for (const name of ['message', 'chain', 'unread', 'refresh']) onLive(name, () => refresh());

// The page of a chain links back to this address. Without `done`, its notice is not shown again.
const address = new URL(location.href);
address.searchParams.delete('done');
history.replaceState(null, '', address);
sessionStorage.setItem('inbox', address.search);

const rows = () => [...list.querySelectorAll<HTMLAnchorElement>('a.chain-row')];
const current = () => document.activeElement?.closest<HTMLAnchorElement>('a.chain-row') ?? null;

function move(by: number): void {
  const all = rows();
  const row = current();
  const at = row === null ? -1 : all.indexOf(row);
  const next = at === -1 ? all[by > 0 ? 0 : all.length - 1] : all[at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

async function change(row: HTMLAnchorElement, words: string, path: string, fields: Record<string, string> = {}): Promise<void> {
  const at = rows().indexOf(row);
  try {
    await post(`/messages/${row.dataset.chain}/${path}`, fields);
    status.textContent = words;
    document.body.dispatchEvent(new Event('viewed'));
    await refresh();
    if (current() === null) (rows()[at] ?? rows().at(-1))?.focus();
  } catch {
    status.textContent = 'That didn’t work. Try again.';
  }
}

const ON_ROW: Record<string, (row: HTMLAnchorElement) => unknown> = {
  r: (row) => location.assign(`${row.pathname}#reply`),
  e: (row) => {
    const isClosed = row.classList.contains('is-closed');
    return change(row, isClosed ? 'Reopened.' : 'Closed.', 'status', { status: isClosed ? 'open' : 'closed' });
  },
  u: (row) =>
    row.classList.contains('is-unread')
      ? change(row, 'Marked as read.', 'viewed', { up_to_message_id: row.dataset.last ?? '' })
      : change(row, 'Marked as unread.', 'unread'),
};

document.addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (key.length === 1 && document.cookie.includes('case-keys=off')) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (
    !(target instanceof Element) ||
    target.matches('input, textarea, select') ||
    document.querySelector('.confirm-dialog:popover-open') !== null
  )
    return;
  const row = current();
  const steps: Record<string, number> = { j: 1, k: -1, ...(row === null ? {} : { ArrowDown: 1, ArrowUp: -1 }) };
  const by = steps[key];
  if (by !== undefined) {
    event.preventDefault();
    move(by);
  } else if (row !== null && Object.hasOwn(ON_ROW, key)) {
    event.preventDefault();
    ON_ROW[key]?.(row);
  }
});
