// Keeps an open chain up to date: new messages and notes appear in their place, messages are marked as viewed, and whoever
// is writing sees that a colleague is, too.
import { oneAtATime, post, putParts, readAgain } from '../assets/page-parts.js';

const view = document.querySelector('[data-chain-id]');
const chainId = Number(view.dataset.chainId);
const scroller = view.querySelector('.messages-scroll');
const timeline = document.getElementById('timeline');
const reply = document.getElementById('reply');
const showNew = document.getElementById('show-new');
const seen = document.querySelector('input[name=seen_message_id]');
const [writing, answered] = [document.getElementById('writing'), document.getElementById('answered')];

/** The newest message is at the bottom, which is where such a scroller begins. */
const NEAR_PX = 48;
const isAtEnd = () => scroller.scrollTop > -NEAR_PX;

// What is new -------------------------------------------------------------------------------------------------------

/** Parts were left as they are while somebody was at them. */
let areLeft = false;
for (const end of ['focusout', 'toggle']) {
  document.addEventListener(end, () => setTimeout(() => areLeft && refresh()), true);
}

const refresh = oneAtATime(async () => {
  const fresh = await readAgain();
  if (fresh === null) return;
  const before = new Set([...timeline.children].map((item) => item.id));
  const stayed = isAtEnd();
  keepPlace(() => {
    areLeft = putParts(fresh);
  });
  seen.value = timeline.dataset.newest;
  const added = [...timeline.children].filter((item) => item.id !== '' && !before.has(item.id));
  if (added.length === 0) return;
  writing.textContent = '';
  if (stayed) scroller.scrollTop = 0;
  else showNew.hidden = false;
  tellAnswered(added);
  markViewed();
});

/** Whoever reads further up goes on reading there. */
function keepPlace(change) {
  const top = scroller.getBoundingClientRect().top;
  const anchor = isAtEnd() ? undefined : [...timeline.querySelectorAll('.message')].find((item) => item.getBoundingClientRect().bottom > top);
  const was = anchor?.getBoundingClientRect().top;
  change();
  const item = anchor === undefined ? null : document.getElementById(anchor.id);
  if (item !== null) scroller.scrollTop += item.getBoundingClientRect().top - was;
}

function tellAnswered(added) {
  const by = added.findLast((item) => item.matches('.is-staff'));
  if (by === undefined || reply.value.trim() === '') return;
  answered.textContent = `${by.querySelector('.message-from').textContent} replied while you were writing. Read it before you send.`;
}

for (const name of ['message', 'chain']) {
  document.addEventListener(`live:${name}`, ({ detail }) => {
    if (detail.chain_id === chainId) refresh();
  });
}
document.addEventListener('live:refresh', refresh);
document.addEventListener('page-gone', () => {
  if (document.querySelector('.signed-out') !== null) return;
  const bar = document.createElement('div');
  bar.className = 'signed-out';
  bar.setAttribute('role', 'alert');
  const link = document.createElement('a');
  link.className = 'link';
  link.href = '/messages';
  link.textContent = 'Back to all messages';
  bar.append('You no longer have access to this conversation. ', link);
  document.body.prepend(bar);
});

// Marks -------------------------------------------------------------------------------------------------------------

let marking = false;

/** What stands before the reader's eyes is viewed. */
async function markViewed() {
  const form = document.getElementById('viewed-form');
  if (form === null || marking || document.hidden || !isAtEnd()) return;
  marking = true;
  try {
    const { value } = form.elements.namedItem('up_to_message_id');
    await post(form.action, { up_to_message_id: value }, { isBackground: true });
    form.remove();
    document.body.dispatchEvent(new Event('viewed'));
  } catch {
    // The next look at the page tries again.
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

// Who writes --------------------------------------------------------------------------------------------------------

const SAY_EVERY_MS = 3000;
const FORGET_AFTER_MS = 8000;
let said = 0;
let forget;

for (const [name, text] of [
  ['reply', reply],
  ['note', document.getElementById('note')],
]) {
  text.addEventListener('input', () => {
    if (text.value.trim() === '') answered.textContent = '';
    else if (Date.now() - said > SAY_EVERY_MS) {
      said = Date.now();
      post(`/messages/${chainId}/writing`, { writing: name }).catch(() => {});
    }
  });
}
document.addEventListener('live:writing', ({ detail }) => {
  if (detail.chain_id !== chainId) return;
  writing.textContent = `${detail.name} is writing ${detail.writing === 'note' ? 'an internal note' : 'a reply'}…`;
  clearTimeout(forget);
  forget = setTimeout(() => {
    writing.textContent = '';
  }, FORGET_AFTER_MS);
});

// Back to the list as it was left.
document.getElementById('back').search = sessionStorage.getItem('inbox') ?? '';
