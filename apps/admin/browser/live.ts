// One stream of live updates per page. It says what has happened, and each part of the page reloads what it shows. Without
// the stream the parts reload now and then.
import { pageAge, STREAM_WITHIN_MS } from '@case-platform/lib/browser/page-age';
import { sendLive } from './parts/live-events.ts';

const POLL_MS = 20_000;
const POLL_BESIDE_STREAM_MS = 120_000;
/** Half a wait to one and a half, so that pages do not come back at the same moment (LIVE-9). */
const TRY_AGAIN_MS = 30_000;

const address = document.querySelector<HTMLElement>('[data-live-events]')?.dataset.liveEvents;
let stream: EventSource | null = null;
let isUp = false;
let polled = Date.now();
let retry: ReturnType<typeof setTimeout> | undefined;
let isFirstStream = true;

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
  const age = pageAge();
  const opened = new EventSource(isFirstStream ? `${address}?page_age=${age}` : address);
  isFirstStream = false;
  stream = opened;
  let isCurrent = false;
  opened.addEventListener('open', () => {
    isUp = true;
    isCurrent = false;
  });
  // The stream brings what has happened since this page was requested, so nothing is read twice.
  opened.addEventListener('current', () => {
    isCurrent = pageAge() - age <= STREAM_WITHIN_MS;
  });
  opened.addEventListener('error', () => {
    isUp = false;
    if (opened.readyState !== EventSource.CLOSED || stream !== opened) return;
    // Refused: the session has ended, or too many streams are open. Looking now and then goes on.
    stream = null;
    retry = setTimeout(openStream, TRY_AGAIN_MS * (0.5 + Math.random()));
  });
  for (const name of ['message', 'chain', 'case', 'writing']) {
    opened.addEventListener(name, ({ data }) => sendLive(name, JSON.parse(data)));
  }
  opened.addEventListener('unread', ({ data }) => {
    // A stream first repeats events, and then sends the unread count.
    if (!isCurrent) readEverything();
    isCurrent = true;
    const { unread_count } = JSON.parse(data);
    if (Number(document.getElementById('unread-badge')?.dataset.count) === unread_count) return;
    countUnread();
    sendLive('unread');
  });
  opened.addEventListener('resync', () => {
    isCurrent = true;
    readEverything();
  });
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
