// Keeps the page of a request up to date while it is looked at, and draws its PDF receipts.
import { drawPdf } from '@case-platform/lib/browser/draw-pdf';
import { onLive } from './parts/live-events.ts';
import { oneAtATime, putParts, readAgain } from './parts/page-parts.ts';

const page = document.querySelector<HTMLElement>('[data-case]');
const refresh = oneAtATime(async () => {
  const fresh = await readAgain();
  if (fresh === null) return;
  // A draft was sent, or a request became a draft again: that is another page.
  const shows = fresh.querySelector<HTMLElement>('[data-case]')?.dataset.shows;
  if (shows !== undefined && shows !== page?.dataset.shows) location.reload();
  else putParts(fresh);
});
onLive('refresh', () => refresh());
onLive('case', ({ case_id }) => {
  if (String(case_id) === page?.dataset.case) refresh();
});

// The library that draws PDFs is loaded only on a page that has one.
for (const place of document.querySelectorAll<HTMLElement>('[data-pdf]')) {
  draw(place).catch(() => {
    place.textContent = 'We can’t show this PDF here. Open the file instead.';
  });
}

async function draw(place: HTMLElement): Promise<void> {
  const { pdf = '', pdfScript = '', pdfWorker = '' } = place.dataset;
  const pdfjs = await import(pdfScript);
  pdfjs.GlobalWorkerOptions.workerSrc = pdfWorker;
  await drawPdf(pdfjs, pdf, place);
}
