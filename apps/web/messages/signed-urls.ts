import type { Message, MessageFile } from '../api/api-shapes.ts';

/** Signed URLs are reused while they remain valid, so that pictures are not fetched again with every poll. */
const STILL_GOOD_MS = 5 * 60_000;
const known = new Map<number, Pick<MessageFile, 'url' | 'url_expires_at'>>();

/** The messages with the file URLs that were shown first, unless those are about to expire. */
export function keepSignedUrls(messages: readonly Message[], now: number): Message[] {
  return messages.map((message) =>
    message.files.length === 0 ? message : { ...message, files: message.files.map((file) => keep(file, now)) },
  );
}

function keep(file: MessageFile, now: number): MessageFile {
  const before = known.get(file.id);
  if (before !== undefined && Date.parse(before.url_expires_at) - now > STILL_GOOD_MS) return { ...file, ...before };
  known.set(file.id, { url: file.url, url_expires_at: file.url_expires_at });
  return file;
}
