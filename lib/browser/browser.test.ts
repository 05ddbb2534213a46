import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { drawPdf } from './draw-pdf.ts';
import { pageAge } from './page-age.ts';

/** A stand-in of pdf.js for a file with pages of 600 by 800 points, and of the element that shows them. */
function open(t: TestContext, numPages: number, onRender = () => {}) {
  const globals = globalThis as unknown as Record<string, unknown>;
  globals.devicePixelRatio = 3;
  globals.document = {
    createElement: (tag: string) => ({
      tag,
      setAttribute(this: Record<string, unknown>, name: string, value: string) {
        this[name] = value;
      },
    }),
  };
  t.after(() => {
    delete globals.devicePixelRatio;
    delete globals.document;
  });
  const seen = { options: [] as object[], modes: [] as number[], shown: null as Record<string, unknown>[] | null, destroyed: 0 };
  const page = {
    getViewport: ({ scale }: { scale: number }) => ({ width: 600 * scale, height: 800 * scale }),
    render({ annotationMode }: { annotationMode: number }) {
      seen.modes.push(annotationMode);
      onRender();
      return { promise: Promise.resolve() };
    },
  };
  const library = {
    AnnotationMode: { DISABLE: 9 },
    getDocument(options: object) {
      seen.options.push(options);
      const destroy = async () => {
        seen.destroyed += 1;
      };
      return { promise: Promise.resolve({ numPages, getPage: async () => page }), destroy };
    },
  };
  const into = { clientWidth: 300.5, replaceChildren: (...pages: Record<string, unknown>[]) => (seen.shown = pages) };
  const draw = (signal?: AbortSignal) => drawPdf(library as never, '/file', into as never, signal);
  return { draw, seen };
}

test('up to five pages of a PDF are drawn as labeled pictures, and nothing in the file runs', async (t) => {
  for (const [numPages, drawn] of [
    [1, 1],
    [5, 5],
    [7, 5],
  ] as const) {
    const { draw, seen } = open(t, numPages);
    assert.equal(await draw(), numPages);
    const page = { tag: 'canvas', width: 601, height: 801, className: 'receipt-page', role: 'img' };
    const pages = Array.from({ length: drawn }, (_, at) => ({ ...page, 'aria-label': `Page ${at + 1} of ${numPages}` }));
    assert.deepEqual(
      seen.shown?.map(({ setAttribute, ...attributes }) => attributes),
      pages,
    );
    assert.deepEqual(seen.options, [{ url: '/file', enableXfa: false, useWasm: false, stopAtErrors: false }]);
    assert.deepEqual(seen.modes, Array(drawn).fill(9), 'without forms and links');
    assert.equal(seen.destroyed, 1);
  }
});

test('a file that is closed while it is drawn shows nothing and is given up', async (t) => {
  const controller = new AbortController();
  const { draw, seen } = open(t, 3, () => controller.abort());
  await draw(controller.signal);
  assert.deepEqual([seen.shown, seen.modes.length], [null, 1]);
  assert.ok(seen.destroyed > 0);
  const loading = open(t, 3);
  const leaving = new AbortController();
  const drawing = loading.draw(leaving.signal);
  leaving.abort();
  assert.equal(loading.seen.destroyed, 1, 'while it is loaded');
  await drawing;
  assert.equal(loading.seen.shown, null);
});

test('[LIVE-8] the age of a page counts from its request, also through the sleep of its computer', (t) => {
  const ageOf = (clock: number, wall: number, entries: object[]) => {
    t.mock.method(performance, 'getEntriesByType', () => entries);
    t.mock.method(performance, 'now', () => clock);
    t.mock.method(Date, 'now', () => performance.timeOrigin + wall);
    const age = pageAge();
    t.mock.restoreAll();
    return age;
  };
  assert.equal(ageOf(1000.25, 900, [{ fetchStart: 120 }]), 881);
  assert.equal(ageOf(1000, 5000.25, [{ fetchStart: 120 }]), 4881);
  assert.equal(ageOf(1000.25, 900, [{}]), 1001);
  assert.equal(ageOf(1000.25, 900, []), 1001);
});
