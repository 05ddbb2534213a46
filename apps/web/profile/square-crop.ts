/** Where the square lies that is cut out of a picture: its middle, and its side as a share of the picture's shorter side. */
export interface Crop {
  /** From 0 to 1 of the picture's width and height. */
  x: number;
  y: number;
  /** At least 1: how much closer than the largest square. */
  zoom: number;
}

interface Size {
  width: number;
  height: number;
}

export const ZOOM_MAX = 4;
export const WHOLE: Crop = { x: 0.5, y: 0.5, zoom: 1 };

/** The square in pixels of the picture, wholly inside it. */
export function squareOf({ width, height }: Size, { x, y, zoom }: Crop): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / clamp(zoom, 1, ZOOM_MAX);
  return {
    left: clamp(x * width - side / 2, 0, width - side),
    top: clamp(y * height - side / 2, 0, height - side),
    side,
  };
}

/** The crop after the picture was moved by shares of the square, kept inside the picture. */
export function moved(size: Size, crop: Crop, by: { x: number; y: number }): Crop {
  const { left, top, side } = squareOf(size, crop);
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
