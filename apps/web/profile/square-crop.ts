/** The square that is cut out of a picture, by its center and a zoom. */
export interface Crop {
  /** The center, from 0 to 1 of the picture's width and height. */
  x: number;
  y: number;
  /** The largest square divided by this one, so at least 1. */
  zoom: number;
}

interface Size {
  width: number;
  height: number;
}

export const ZOOM_MAX = 4;
export const WHOLE_PICTURE: Crop = { x: 0.5, y: 0.5, zoom: 1 };

/** Returns the square in pixels of the picture, always inside the picture. */
export function cropSquare({ width, height }: Size, { x, y, zoom }: Crop): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / clamp(zoom, 1, ZOOM_MAX);
  return {
    left: clamp(x * width - side / 2, 0, width - side),
    top: clamp(y * height - side / 2, 0, height - side),
    side,
  };
}

/** Moves the picture under the crop. `by` is in shares of the square's side; the square stays inside the picture. */
export function moveCrop(size: Size, crop: Crop, by: { x: number; y: number }): Crop {
  const { left, top, side } = cropSquare(size, crop);
  const half = side / 2;
  return {
    ...crop,
    x: clamp(left + half - by.x * side, half, size.width - half) / size.width,
    y: clamp(top + half - by.y * side, half, size.height - half) / size.height,
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
