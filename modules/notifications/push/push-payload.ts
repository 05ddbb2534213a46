import { invalid } from '@case-platform/lib/errors';

/** The payload of a browser notification (PUSH-10). */
export interface PushPayload {
  title: string;
  body: string;
  icon: string;
  data: { url: string };
  tag: string;
  requireInteraction: boolean;
  vibrate: number[];
}

/** Browsers accept 3,993 bytes, and encryption adds to the payload. */
export const PAYLOAD_MAX_BYTES = 3000;

/**
 * Shortens the body, at a whole character and with an ellipsis, if the payload is too large to send.
 * @throws {InvalidInputError} if it is too large even with an empty body.
 */
export function fitPayload(payload: PushPayload): PushPayload {
  const over = sizeOf(payload) - PAYLOAD_MAX_BYTES;
  if (over <= 0) return payload;
  const characters = [...new Intl.Segmenter('en').segment(payload.body)].map(({ segment }) => segment);
  const cut = (count: number) => ({ ...payload, body: `${characters.slice(0, count).join('').trimEnd()}…` });
  if (sizeOf(cut(0)) > PAYLOAD_MAX_BYTES) throw invalid('body', 'The notification is too large.');
  let [fits, tooMany] = [0, characters.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (sizeOf(cut(middle)) <= PAYLOAD_MAX_BYTES) fits = middle;
    else tooMany = middle;
  }
  return cut(fits);
}

function sizeOf(payload: PushPayload): number {
  return Buffer.byteLength(JSON.stringify(payload));
}
