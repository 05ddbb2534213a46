import { randomUUID } from 'node:crypto';
import { request } from 'node:http';

/** One part of a form, in sending order. A part with a file name is a file. */
export interface FormPart {
  name: string;
  value: string | Buffer;
  filename?: string;
}

export interface StoreAnswer {
  status: number;
  /** S3's error code, or undefined for an answer without one. */
  code: string | undefined;
  headers: Headers;
  body: string;
}

/** The fields of an upload descriptor followed by a file, in the required order (UPLOAD-3). */
export function formOf(fields: Record<string, string>, file: Buffer, filename = 'file.bin'): FormPart[] {
  return [...Object.entries(fields).map(([name, value]) => ({ name, value })), { name: 'file', value: file, filename }];
}

/** Sends a form like a browser, without an Authorization header. */
export async function sendForm(url: string, parts: FormPart[], headers: Record<string, string> = {}): Promise<StoreAnswer> {
  const { contentType, body } = encodeForm(parts);
  return readAnswer(await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': contentType }, body }));
}

export async function readAnswer(response: Response): Promise<StoreAnswer> {
  const body = await response.text();
  const code = /<Code>([^<]+)<\/Code>/.exec(body)?.[1];
  return { status: response.status, code, headers: response.headers, body };
}

/** Builds `multipart/form-data` by hand, so that order, names, and ends are exactly as a case needs them. */
export function encodeForm(parts: FormPart[]): { contentType: string; body: Buffer<ArrayBuffer> } {
  const boundary = `form-${randomUUID()}`;
  const pieces = parts.flatMap(({ name, value, filename }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"\r\nContent-Type: application/octet-stream`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')];
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** A request that ends before its announced length. */
interface BrokenRequest {
  method: string;
  headers: Record<string, string>;
  /** The bytes that are sent. */
  part: Buffer;
  /** The announced length in bytes. */
  length: number;
  /** Awaited before the connection is cut, so that the other side has certainly started. */
  begun?: () => Promise<void>;
}

/** Sends the beginning of a request and cuts the connection. */
export function sendAndBreak(url: string, { method, headers, part, length, begun }: BrokenRequest): Promise<void> {
  return new Promise((resolve) => {
    const sending = request(url, { method, headers: { ...headers, 'content-length': String(length) } });
    sending.on('error', () => {});
    sending.on('close', () => resolve());
    sending.write(part, async () => {
      await begun?.();
      sending.destroy();
    });
  });
}
