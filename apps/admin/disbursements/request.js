// Keeps the page of a request up to date while it is looked at, and draws its PDF receipts.
import { oneAtATime, putParts, readAgain } from '../assets/page-parts.js';

const page = document.querySelector('[data-case]');
const refresh = oneAtATime(async () => {
  const fresh = await readAgain();
  if (fresh === null) return;
  // A draft was sent, or a request became a draft again: that is another page.
  const shows = fresh.querySelector('[data-case]')?.dataset.shows;
  if (shows !== undefined && shows !== page?.dataset.shows) location.reload();
  else putParts(fresh);
});
document.addEventListener('live:refresh', refresh);
document.addEventListener('live:case', ({ detail }) => {
  if (String(detail.case_id) === page?.dataset.case) refresh();
});

/** More is read in the file itself. */
const PAGES_MAX = 5;

// What draws a PDF is fetched when there is one. Nothing in it is executed: its scripts have no interpreter here, forms and
// links are not drawn, and no code is made from text or loaded from elsewhere.
for (const place of document.querySelectorAll('[data-pdf]')) {
  draw(place).catch(() => {
    place.textContent = 'We can’t show this PDF here. Open the file instead.';
  });
}

async function draw(place) {
  const { pdf: url, pdfScript, pdfWorker } = place.dataset;
  const { AnnotationMode, GlobalWorkerOptions, getDocument } = await import(pdfScript);
  GlobalWorkerOptions.workerSrc = pdfWorker;
  const task = getDocument({ url, enableXfa: false, useWasm: false });
  const pdf = await task.promise;
  const width = place.clientWidth * Math.min(devicePixelRatio, 2);
  const pages = [];
  for (let number = 1; number <= Math.min(pdf.numPages, PAGES_MAX); number += 1) {
    const sheet = await pdf.getPage(number);
    const viewport = sheet.getViewport({ scale: width / sheet.getViewport({ scale: 1 }).width });
    const canvas = document.createElement('canvas');
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    canvas.className = 'receipt-page';
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Page ${number} of ${pdf.numPages}`);
    await sheet.render({ canvas, viewport, annotationMode: AnnotationMode.DISABLE }).promise;
    pages.push(canvas);
  }
  place.replaceChildren(...pages);
  await task.destroy();
}
