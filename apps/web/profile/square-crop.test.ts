import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cropSquare, moveCrop, WHOLE_PICTURE, ZOOM_MAX } from './square-crop.ts';

test('a crop begins with the largest square in the middle', () => {
  assert.deepEqual(cropSquare({ width: 300, height: 200 }, WHOLE_PICTURE), { left: 50, top: 0, side: 200 });
  assert.deepEqual(cropSquare({ width: 300, height: 200 }, { ...WHOLE_PICTURE, zoom: 2 }), { left: 100, top: 50, side: 100 });
});

test('moving the picture to the right shows more of its left', () => {
  const crop = moveCrop({ width: 300, height: 200 }, WHOLE_PICTURE, { x: 0.1, y: 0 });
  assert.deepEqual(cropSquare({ width: 300, height: 200 }, crop), { left: 30, top: 0, side: 200 });
  // The same in the other direction: moved down, it shows more of its top; moved too far, it stops at the edge.
  const tall = { width: 200, height: 300 };
  const top = (y: number) => cropSquare(tall, moveCrop(tall, WHOLE_PICTURE, { x: 0, y })).top;
  assert.deepEqual([top(0.1), top(-0.1), top(1), top(-1)], [30, 70, 0, 100]);
  const left = (x: number) =>
    cropSquare({ width: 300, height: 200 }, moveCrop({ width: 300, height: 200 }, WHOLE_PICTURE, { x, y: 0 })).left;
  assert.deepEqual([left(-0.1), left(1), left(-1)], [70, 0, 100]);
  assert.equal(cropSquare(tall, { ...WHOLE_PICTURE, zoom: ZOOM_MAX }).side, 200 / ZOOM_MAX);
});

test('the square never leaves the picture', () => {
  const side = fc.integer({ min: 1, max: 8000 });
  const share = fc.double({ min: -5, max: 5, noNaN: true });
  const run = (width: number, height: number, x: number, y: number, zoom: number, by: number) => {
    const square = cropSquare({ width, height }, moveCrop({ width, height }, { x, y, zoom }, { x: by, y: -by }));
    assert.ok(square.left >= 0 && square.top >= 0 && square.side > 0);
    assert.ok(square.left + square.side <= width + 1e-6 && square.top + square.side <= height + 1e-6);
  };
  fc.assert(fc.property(side, side, share, share, fc.double({ min: 0, max: ZOOM_MAX * 2, noNaN: true }), share, run));
});
