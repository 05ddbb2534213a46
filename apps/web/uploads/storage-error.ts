const TRY_AGAIN = 'Our file storage didn’t accept this file. Try again.';

/** The sentence for each error code of S3 ("Error responses"). */
const WORDS: Record<string, string> = {
  EntityTooLarge: 'This file is too large to upload here.',
  EntityTooSmall: 'This file is empty, or it changed after you chose it. Choose it again.',
  IncompleteBody: 'The connection dropped during the upload. Try again.',
  RequestTimeout: 'The connection was too slow. Try again.',
  MalformedPOSTRequest: 'The file arrived incomplete. Try again.',
  SignatureDoesNotMatch: 'We couldn’t upload this file. Try again.',
  InvalidAccessKeyId: 'We couldn’t upload this file. Try again.',
  InvalidPolicyDocument: 'We couldn’t upload this file. Try again.',
  AccessDenied: 'We couldn’t upload this file. Try again.',
  SlowDown: 'Our file storage is busy. Wait a moment and try again.',
  ServiceUnavailable: 'Our file storage is busy. Wait a moment and try again.',
  InternalError: 'Our file storage has a problem right now. Wait a moment and try again.',
};

/**
 * Returns a sentence for an error of the storage (UPLOAD-6). The body is an XML document. It is searched with patterns and never
 * parsed, because it comes from another origin.
 */
export function storageErrorWords(status: number, body: string): string {
  const code = /<Code>\s*([A-Za-z0-9]{1,64})\s*<\/Code>/.exec(body)?.[1];
  const message = /<Message>([^<]{0,300})<\/Message>/.exec(body)?.[1] ?? '';
  if (code === 'AccessDenied' && /expired/i.test(message)) {
    return 'The upload took too long. Try again.';
  }
  const words = code === undefined ? undefined : WORDS[code];
  if (words !== undefined) return words;
  if (status === 413) return WORDS.EntityTooLarge ?? TRY_AGAIN;
  if (status >= 500) return WORDS.ServiceUnavailable ?? TRY_AGAIN;
  return code === undefined ? TRY_AGAIN : `Our file storage didn’t accept this file (${code}). Try again.`;
}
