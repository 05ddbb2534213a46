import { parseByteRange } from './byte-range.ts';
import type { Call } from './call.ts';
import { overriddenHeaders } from './object-headers.ts';
import { openObject } from './object-store.ts';
import { judgeRead } from './preconditions.ts';
import type { ObjectHead, OpenObject } from './stored-file.ts';

/**
 * GetObject and HeadObject: whole or one range, with conditions, and with the headers that `response-*` parameters of the
 * signed address ask for.
 */
export async function getObject(call: Call): Promise<unknown> {
  const object = await openObject(call.store, call.target);
  try {
    if (judgeRead(object.head, call.request.headers)) return await sendObject(call, object);
    await object.close();
    return call.reply.code(304).headers(validators(object.head)).send();
  } catch (error) {
    await object.close();
    throw error;
  }
}

async function sendObject({ request, reply, target }: Call, object: OpenObject): Promise<unknown> {
  const { head } = object;
  reply.headers({
    'accept-ranges': 'bytes',
    ...validators(head),
    ...head.headers,
    ...checksumHeader(head, request.headers['x-amz-checksum-mode']),
    ...overriddenHeaders(target.query),
    // Whatever was uploaded, a browser that is sent here must not run it.
    'content-security-policy': "sandbox; default-src 'none'",
  });
  const ifRange = request.headers['if-range'];
  const wholeWanted = ifRange !== undefined && ifRange !== head.etag;
  const range = wholeWanted ? null : rangeOf(request.headers.range, head, reply);
  const { start, end } = range ?? { start: 0, end: head.size - 1 };
  if (range !== null) reply.code(206).header('content-range', `bytes ${start}-${end}/${head.size}`);
  reply.header('content-length', end - start + 1);
  if (request.method === 'HEAD' || head.size === 0) {
    await object.close();
    return reply.send();
  }
  return reply.send(object.read(start, end));
}

function rangeOf(header: string | undefined, head: ObjectHead, reply: Call['reply']) {
  try {
    return parseByteRange(header, head.size);
  } catch (error) {
    for (const name of Object.keys(reply.getHeaders())) if (name in head.headers) reply.removeHeader(name);
    reply.header('content-range', `bytes */${head.size}`);
    throw error;
  }
}

function validators(head: ObjectHead): Record<string, string> {
  return { etag: head.etag, 'last-modified': new Date(head.lastModified).toUTCString() };
}

function checksumHeader({ checksum }: ObjectHead, mode: unknown): Record<string, string> {
  return mode === 'ENABLED' && checksum !== undefined ? { [`x-amz-checksum-${checksum.name}`]: checksum.value } : {};
}
