// One stream of live updates per page. It says what has happened, and each part of the page reloads what it shows. Without
// the stream the parts reload now and then.
import { sendLive } from './parts/live-events.ts';

const POLL_MS = 20_000;
const POLL_BESIDE_STREAM_MS = 120_000;
const TRY_AGAIN_MS = 30_000;

const address = document.querySelector<HTMLElement>('[data-live-events]')?.dataset.liveEvents;
let stream: EventSource | null = null;
let isUp = false;
let polled = Date.now();
let retry: ReturnType<typeof setTimeout> | undefined;

function countUnread(): void {
  document.body.dispatchEvent(new Event('count-unread'));
}

function readEverything(): void {
  polled = Date.now();
  countUnread();
  sendLive('refresh');
}

function openStream(): void {
  if (address === undefined || stream !== null || document.hidden) return;
  clearTimeout(retry);
  const opened = new EventSource(address);
  stream = opened;
  opened.addEventListener('open', () => {
    isUp = true;
    // Something may have happened since this page was made.
    readEverything();
  });
  opened.addEventListener('error', () => {
    isUp = false;
    if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
    // Refused: the session has ended, or too many streams are open. Looking now and then goes on.
    stream = null;
    retry = setTimeout(openStream, TRY_AGAIN_MS);
  });
  for (const name of ['message', 'chain', 'case', 'writing']) {
    opened.addEventListener(name, ({ data }) => sendLive(name, JSON.parse(data)));
  }
  opened.addEventListener('unread', ({ data }) => {
    const { unread_count } = JSON.parse(data);
    if (Number(document.getElementById('unread-badge')?.dataset.count) === unread_count) return;
    countUnread();
    sendLive('unread');
  });
  opened.addEventListener('resync', readEverything);
}

function closeStream(): void {
  stream?.close();
  stream = null;
  isUp = false;
}

// A browser opens few connections to one host, so a hidden page closes its stream.
document.addEventListener('visibilitychange', () => (document.hidden ? closeStream() : openStream()));
addEventListener('pagehide', closeStream);
openStream();

setInterval(() => {
  if (Date.now() - polled < (isUp ? POLL_BESIDE_STREAM_MS : POLL_MS)) return;
  polled = Date.now();
  countUnread();
  if (!document.hidden) sendLive('refresh');
}, 1000);
