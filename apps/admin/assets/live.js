// One stream of live updates per page. It says what has happened, and each part of the page reloads what it shows. Without
// the stream the parts reload now and then.

const POLL_MS = 20_000;
const POLL_BESIDE_STREAM_MS = 120_000;
const TRY_AGAIN_MS = 30_000;

const address = document.querySelector('[data-live-events]')?.dataset.liveEvents;
let stream = null;
let isUp = false;
let polled = Date.now();
let retry;

function say(name, detail = {}) {
  document.dispatchEvent(new CustomEvent(`live:${name}`, { detail }));
}

function countUnread() {
  document.body.dispatchEvent(new Event('count-unread'));
}

function readEverything() {
  polled = Date.now();
  countUnread();
  say('refresh');
}

function open() {
  if (address === undefined || stream !== null || document.hidden) return;
  clearTimeout(retry);
  const opened = new EventSource(address);
  stream = opened;
  opened.addEventListener('open', () => {
    isUp = true;
    // Between the making of this page and now something may have happened.
    readEverything();
  });
  opened.addEventListener('error', () => {
    isUp = false;
    if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
    // Refused: the session has ended, or too many streams are open. Looking now and then goes on.
    stream = null;
    retry = setTimeout(open, TRY_AGAIN_MS);
  });
  for (const name of ['message', 'chain', 'case', 'writing']) {
    opened.addEventListener(name, ({ data }) => say(name, JSON.parse(data)));
  }
  opened.addEventListener('unread', ({ data }) => {
    const { unread_count } = JSON.parse(data);
    if (Number(document.getElementById('unread-badge')?.dataset.count) === unread_count) return;
    countUnread();
    say('unread');
  });
  opened.addEventListener('resync', readEverything);
}

function close() {
  stream?.close();
  stream = null;
  isUp = false;
}

// A browser opens few connections to one host: a page that nobody looks at gives its stream back.
document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()));
addEventListener('pagehide', close);
open();

setInterval(() => {
  if (Date.now() - polled < (isUp ? POLL_BESIDE_STREAM_MS : POLL_MS)) return;
  polled = Date.now();
  countUnread();
  if (!document.hidden) say('refresh');
}, 1000);
