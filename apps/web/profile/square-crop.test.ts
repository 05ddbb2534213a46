import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { moved, squareOf, WHOLE, ZOOM_MAX } from './square-crop.ts';

test('a crop begins with the largest square in the middle', () => {
  assert.deepEqual(squareOf({ width: 300, height: 200 }, WHOLE), { left: 50, top: 0, side: 200 });
  assert.deepEqual(squareOf({ width: 300, height: 200 }, { ...WHOLE, zoom: 2 }), { left: 100, top: 50, side: 100 });
});

test('moving the picture to the right shows more of its left', () => {
  const crop = moved({ width: 300, height: 200 }, WHOLE, { x: 0.1, y: 0 });
  assert.deepEqual(squareOf({ width: 300, height: 200 }, crop), { left: 30, top: 0, side: 200 });
  // The same in the other direction: moved down, it shows more of its top; moved too far, it stops at the edge.
  const tall = { width: 200, height: 300 };
  const top = (y: number) => squareOf(tall, moved(tall, WHOLE, { x: 0, y })).top;
  assert.deepEqual([top(0.1), top(-0.1), top(1), top(-1)], [30, 70, 0, 100]);
  const left = (x: number) => squareOf({ width: 300, height: 200 }, moved({ width: 300, height: 200 }, WHOLE, { x, y: 0 })).left;
  assert.deepEqual([left(-0.1), left(1), left(-1)], [70, 0, 100]);
  assert.equal(squareOf(tall, { ...WHOLE, zoom: ZOOM_MAX }).side, 200 / ZOOM_MAX);
});

test('the square never leaves the picture', () => {
  const side = fc.integer({ min: 1, max: 8000 });
  const share = fc.double({ min: -5, max: 5, noNaN: true });
  const run = (width: number, height: number, x: number, y: number, zoom: number, by: number) => {
    const square = squareOf({ width, height }, moved({ width, height }, { x, y, zoom }, { x: by, y: -by }));
    assert.ok(square.left >= 0 && square.top >= 0 && square.side > 0);
    assert.ok(square.left + square.side <= width + 1e-6 && square.top + square.side <= height + 1e-6);
  };
  fc.assert(fc.property(side, side, share, share, fc.double({ min: 0, max: ZOOM_MAX * 2, noNaN: true }), share, run));
});
