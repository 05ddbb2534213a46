import { drawPdf as drawPages } from '@case-platform/lib/browser/draw-pdf';
import * as pdfjs from 'pdfjs-dist/legacy/build/pdf.mjs';

pdfjs.GlobalWorkerOptions.workerSrc = new URL('pdfjs-dist/legacy/build/pdf.worker.min.mjs', import.meta.url).toString();

/** Draws a PDF with the copy of pdf.js in this build. Returns what `drawPages` returns. */
export function drawPdf(url: string, into: HTMLElement, signal: AbortSignal): Promise<number> {
  return drawPages(pdfjs, url, into, signal);
}
