const TRY_AGAIN = 'The file storage did not take this file. Try again.';

/** What people can do about the codes of S3 ("Error responses"). */
const WORDS: Record<string, string> = {
  EntityTooLarge: 'This file is larger than what can be sent here.',
  EntityTooSmall: 'This file is empty, or it changed since you chose it. Choose it again.',
  IncompleteBody: 'The connection broke while the file was on its way. Try again.',
  RequestTimeout: 'The connection was too slow and broke. Try again.',
  MalformedPOSTRequest: 'The file did not arrive whole. Try again.',
  SignatureDoesNotMatch: 'The permission to send this file was not accepted. Try again.',
  InvalidAccessKeyId: 'The permission to send this file was not accepted. Try again.',
  InvalidPolicyDocument: 'The permission to send this file was not accepted. Try again.',
  AccessDenied: 'The permission to send this file was not accepted. Try again.',
  SlowDown: 'The file storage is busy. Wait a moment and try again.',
  ServiceUnavailable: 'The file storage is busy. Wait a moment and try again.',
  InternalError: 'The file storage has a fault just now. Wait a moment and try again.',
};

/**
 * A sentence for what the storage answered to an upload: its body is an XML document, read as text (specification, 'Errors').
 * It is searched with patterns, never parsed, because it comes from another origin.
 */
export function storageErrorWords(status: number, body: string): string {
  const code = /<Code>\s*([A-Za-z0-9]{1,64})\s*<\/Code>/.exec(body)?.[1];
  const message = /<Message>([^<]{0,300})<\/Message>/.exec(body)?.[1] ?? '';
  if (code === 'AccessDenied' && /expired/i.test(message)) {
    return 'The time to send this file has run out. Try again.';
  }
  const known = code === undefined ? undefined : WORDS[code];
  if (known !== undefined) return known;
  if (status === 413) return WORDS.EntityTooLarge ?? TRY_AGAIN;
  if (status >= 500) return WORDS.ServiceUnavailable ?? TRY_AGAIN;
  return code === undefined ? TRY_AGAIN : `The file storage did not take this file (${code}). Try again.`;
}
