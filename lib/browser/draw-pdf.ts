/** The parts of pdf.js that are used here. Each application loads it in its own way. */
interface PdfLibrary<Viewport> {
  AnnotationMode: { DISABLE: number };
  getDocument(options: { url: string; enableXfa: boolean; useWasm: boolean; stopAtErrors: boolean }): {
    promise: Promise<{ numPages: number; getPage(number: number): Promise<PdfPage<Viewport>> }>;
    destroy(): Promise<void>;
  };
}

interface PdfPage<Viewport> {
  getViewport(options: { scale: number }): Viewport;
  render(options: { canvas: HTMLCanvasElement; viewport: Viewport; annotationMode: number }): {
    promise: Promise<void>;
  };
}

/** The rest of a longer file is for the file itself. */
const PAGES_MAX = 5;

/**
 * Draws the first pages of a PDF, each as a picture. Nothing in the file is executed: its scripts have no interpreter here,
 * forms and links are not drawn, and no code is made from text or loaded from elsewhere.
 * @returns how many pages the file has.
 */
export async function drawPdf<Viewport extends { width: number; height: number }>(
  { AnnotationMode, getDocument }: PdfLibrary<Viewport>,
  url: string,
  into: HTMLElement,
  signal?: AbortSignal,
): Promise<number> {
  const task = getDocument({ url, enableXfa: false, useWasm: false, stopAtErrors: false });
  signal?.addEventListener('abort', () => void task.destroy());
  const pdf = await task.promise;
  const width = into.clientWidth * Math.min(devicePixelRatio, 2);
  const pages: HTMLCanvasElement[] = [];
  for (let number = 1; number <= Math.min(pdf.numPages, PAGES_MAX); number += 1) {
    const page = await pdf.getPage(number);
    const viewport = page.getViewport({ scale: width / page.getViewport({ scale: 1 }).width });
    const canvas = document.createElement('canvas');
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    canvas.className = 'receipt-page';
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Page ${number} of ${pdf.numPages}`);
    await page.render({ canvas, viewport, annotationMode: AnnotationMode.DISABLE }).promise;
    if (signal?.aborted) break;
    pages.push(canvas);
  }
  if (!signal?.aborted) into.replaceChildren(...pages);
  const { numPages } = pdf;
  await task.destroy();
  return numPages;
}
