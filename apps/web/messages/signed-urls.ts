import type { Message, MessageFile } from '../api/api-shapes.ts';

/** A URL that expires within this time is replaced. Until then it is reused, so that a poll does not load pictures again. */
const STILL_GOOD_MS = 5 * 60_000;
const firstUrls = new Map<number, Pick<MessageFile, 'url' | 'url_expires_at'>>();

/** Returns the messages with the file URLs that were shown first, unless those are about to expire (FILE-4). */
export function reuseSignedUrls(messages: readonly Message[], now: number): Message[] {
  return messages.map((message) =>
    message.files.length === 0 ? message : { ...message, files: message.files.map((file) => reuse(file, now)) },
  );
}

function reuse(file: MessageFile, now: number): MessageFile {
  const before = firstUrls.get(file.id);
  if (before !== undefined && Date.parse(before.url_expires_at) - now > STILL_GOOD_MS) return { ...file, ...before };
  firstUrls.set(file.id, { url: file.url, url_expires_at: file.url_expires_at });
  return file;
}
