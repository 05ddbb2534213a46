// Keeps an open chain up to date: new messages and notes appear in their place, messages are marked as viewed, and someone who
// is writing sees that a colleague is writing, too.
import { getElement, getField, showBar } from './parts/elements.ts';
import { onLive } from './parts/live-events.ts';
import { oneAtATime, post, putParts, readAgain } from './parts/page-parts.ts';

const view = getElement('[data-chain-id]');
const chainId = Number(view.dataset.chainId);
const scroller = getElement('.messages-scroll', view);
const timeline = getElement('#timeline');
const reply = getElement<HTMLTextAreaElement>('#reply');
const showNew = getElement('#show-new');
const seen = getElement<HTMLInputElement>('input[name=seen_message_id]');
const writing = getElement('#writing');
const replyNotice = getElement('#answered');

/** The newest message is at the bottom, which is where such a scroller begins. */
const NEAR_PX = 48;
const isAtEnd = () => scroller.scrollTop > -NEAR_PX;

// New messages -------------------------------------------------------------------------------------------------------

/** Whether some parts were in use, so that the next refresh has to replace them. */
let hasStaleParts = false;
for (const end of ['focusout', 'toggle']) {
  document.addEventListener(end, () => setTimeout(() => hasStaleParts && refresh()), true);
}

const refresh = oneAtATime(async () => {
  const fresh = await readAgain();
  if (fresh === null) return;
  const before = new Set([...timeline.children].map((item) => item.id));
  const wasAtEnd = isAtEnd();
  keepPlace(() => {
    hasStaleParts = putParts(fresh);
  });
  seen.value = timeline.dataset.newest ?? '';
  const added = [...timeline.children].filter((item) => item.id !== '' && !before.has(item.id));
  if (added.length === 0) return;
  writing.textContent = '';
  if (wasAtEnd) scroller.scrollTop = 0;
  else showNew.hidden = false;
  warnOfReply(added);
  markViewed();
});

/** Keeps the scroll position of someone reading older messages. */
function keepPlace(change: () => void): void {
  const top = scroller.getBoundingClientRect().top;
  const anchor = isAtEnd()
    ? undefined
    : [...timeline.querySelectorAll('.message')].find((item) => item.getBoundingClientRect().bottom > top);
  const topBefore = anchor?.getBoundingClientRect().top;
  change();
  const item = anchor === undefined ? null : document.getElementById(anchor.id);
  if (item !== null && topBefore !== undefined) scroller.scrollTop += item.getBoundingClientRect().top - topBefore;
}

function warnOfReply(added: Element[]): void {
  const by = added.findLast((item) => item.matches('.is-staff'));
  if (by === undefined || reply.value.trim() === '') return;
  const name = getElement('.message-from', by).textContent;
  replyNotice.textContent = `${name} replied while you were writing. Read it before you send.`;
}

for (const name of ['message', 'chain']) {
  onLive(name, ({ chain_id }) => {
    if (chain_id === chainId) refresh();
  });
}
onLive('refresh', () => refresh());
document.addEventListener('page-gone', () => {
  showBar('You no longer have access to this conversation.', { href: '/messages', words: 'Back to all messages' });
});

// Marks -------------------------------------------------------------------------------------------------------------

let marking = false;

/** Marks messages as viewed while the end of the chain is on the screen. */
async function markViewed(): Promise<void> {
  const form = document.querySelector<HTMLFormElement>('#viewed-form');
  if (form === null || marking || document.hidden || !isAtEnd()) return;
  marking = true;
  try {
    const { value } = getField(form, 'up_to_message_id');
    await post(form.action, { up_to_message_id: value }, { isBackground: true });
    form.remove();
    document.body.dispatchEvent(new Event('viewed'));
  } catch {
    // The next scroll or visit of the page tries again.
  } finally {
    marking = false;
  }
}

scroller.addEventListener('scroll', () => {
  if (!isAtEnd()) return;
  showNew.hidden = true;
  markViewed();
});
showNew.addEventListener('click', () => {
  scroller.scrollTop = 0;
  showNew.hidden = true;
  scroller.focus();
});
document.addEventListener('visibilitychange', markViewed);
markViewed();

// Writing --------------------------------------------------------------------------------------------------------

const SIGNAL_EVERY_MS = 3000;
const CLEAR_AFTER_MS = 8000;
let lastSignalAt = 0;
let clearTimer: ReturnType<typeof setTimeout> | undefined;

for (const [name, text] of [
  ['reply', reply],
  ['note', getElement<HTMLTextAreaElement>('#note')],
] as const) {
  text.addEventListener('input', () => {
    if (text.value.trim() === '') replyNotice.textContent = '';
    else if (Date.now() - lastSignalAt > SIGNAL_EVERY_MS) {
      lastSignalAt = Date.now();
      post(`/messages/${chainId}/writing`, { writing: name }).catch(() => {});
    }
  });
}
onLive('writing', (detail) => {
  if (detail.chain_id !== chainId) return;
  writing.textContent = `${detail.name} is writing ${detail.writing === 'note' ? 'an internal note' : 'a reply'}…`;
  clearTimeout(clearTimer);
  clearTimer = setTimeout(() => {
    writing.textContent = '';
  }, CLEAR_AFTER_MS);
});

// Back to the list as it was left.
getElement<HTMLAnchorElement>('#back').search = sessionStorage.getItem('inbox') ?? '';
