/** The properties that decide how much memory and time decoding a picture takes. */
export interface PictureShape {
  format: string;
  width: number;
  height: number;
  channels: number;
  /** The size of a sample: 1, or 2 for 16 bits. */
  sampleBytes: number;
  /** A progressive JPEG or an interlaced PNG. */
  isProgressive: boolean;
  /** True for a JPEG whose color channels have a quarter of the samples. */
  hasFewColors: boolean;
  /** The number of passes that a decoder makes over the picture. */
  passes: number;
}

/** A phone's largest photograph has 50 million pixels. */
const PIXELS_MAX = 64_000_000;
/** Enough for a typical progressive JPEG of 24 megapixels from a camera. */
const MEMORY_MAX_BYTES = 72 * 1024 * 1024;
/** The limit of samples times passes. 500 million take one or two seconds of CPU time. */
const WORK_MAX = 2_000_000_000;
const JPEG_COEFFICIENT_BYTES = 2;
const WEBP_PIXEL_BYTES = 4;

/**
 * True if a picture can be decoded within a picture process. Baseline JPEG and plain PNG are decoded line by line; other pictures
 * are in memory as a whole.
 */
export function isAffordable(shape: PictureShape): boolean {
  const pixels = shape.width * shape.height;
  if (pixels > PIXELS_MAX || pixels * shape.channels * shape.passes > WORK_MAX) return false;
  return pixels * memoryBytes(shape) <= MEMORY_MAX_BYTES;
}

/** The bytes of memory for each pixel during decoding. */
function memoryBytes({ format, channels, sampleBytes, isProgressive, hasFewColors }: PictureShape): number {
  if (format === 'webp') return WEBP_PIXEL_BYTES;
  if (!isProgressive) return 0;
  if (format === 'jpeg') return JPEG_COEFFICIENT_BYTES * (hasFewColors ? channels / 2 : channels);
  return channels * sampleBytes;
}
