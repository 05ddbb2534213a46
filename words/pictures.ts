/** A picture cannot be used if it is damaged, needs too much memory or time, or was given up after two attempts (PICTURE-5). */
export type PictureFailure = 'damaged' | 'too_large' | 'too_slow' | 'unfinished';

/**
 * Pictures up to this size are always processed, whatever their format. Ordinary photos may be several times as large: a picture
 * counts in full only if its format needs all of it in memory at once.
 */
const MEGAPIXELS_ALWAYS = 9;

/** For the owner of a picture: what happened and what to do. */
export function pictureFailureWords(failure: PictureFailure): string {
  switch (failure) {
    case 'damaged':
      return 'This picture is damaged. Open it, save it again, and choose the new file.';
    case 'too_large':
      return `This picture is too large to process. Choose one below ${MEGAPIXELS_ALWAYS} megapixels.`;
    case 'too_slow':
      return 'This picture takes too long to process. Save it again as a JPEG, and choose the new file.';
    case 'unfinished':
      return 'We couldn’t process this picture. Save it again as a JPEG, and choose the new file.';
  }
}
