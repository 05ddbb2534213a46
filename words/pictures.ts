/** Why a picture cannot be used: it breaks its format, needs too much memory or time, or was given up after two attempts. */
export type PictureFailure = 'damaged' | 'too_large' | 'too_slow' | 'unfinished';

/**
 * Decoded pictures up to here are always processed, whatever their format. Ordinary photos may be several times as large: a
 * picture counts fully only if its format asks for all of it in memory at once.
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
