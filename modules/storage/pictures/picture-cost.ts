/** The properties that decide how much memory and time decoding a picture takes. */
export interface PictureShape {
  format: string;
  width: number;
  height: number;
  channels: number;
  /** Of one sample: 1, or 2 for 16 bits. */
  sampleBytes: number;
  /** A progressive JPEG or an interlaced PNG. */
  isProgressive: boolean;
  /** Whether a JPEG's colors have a quarter of the samples. */
  hasFewColors: boolean;
  /** How often a decoder goes over the picture. */
  passes: number;
}

/** A phone's largest photograph has 50 million pixels. */
const PIXELS_MAX = 64_000_000;
/** Enough for a progressive JPEG of 24 megapixels as cameras make them. */
const HELD_BYTES_MAX = 72 * 1024 * 1024;
/** Samples times passes: a second or two of computing time for each 500 million. */
const WORK_MAX = 2_000_000_000;
const JPEG_COEFFICIENT_BYTES = 2;
const WEBP_PIXEL_BYTES = 4;

/**
 * Whether a picture can be decoded within a picture process. A baseline JPEG and a plain PNG are decoded line by line; of all others
 * the whole picture is in memory.
 */
export function isAffordable(shape: PictureShape): boolean {
  const pixels = shape.width * shape.height;
  if (pixels > PIXELS_MAX || pixels * shape.channels * shape.passes > WORK_MAX) return false;
  return pixels * heldBytes(shape) <= HELD_BYTES_MAX;
}

/** How many bytes of memory a pixel needs while the picture is decoded. */
function heldBytes({ format, channels, sampleBytes, isProgressive, hasFewColors }: PictureShape): number {
  if (format === 'webp') return WEBP_PIXEL_BYTES;
  if (!isProgressive) return 0;
  if (format === 'jpeg') return JPEG_COEFFICIENT_BYTES * (hasFewColors ? channels / 2 : channels);
  return channels * sampleBytes;
}
