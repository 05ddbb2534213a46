import { samplePdf } from '../scripts/demo/sample-files.ts';
import type { Process } from './processes.ts';
import type { PreparedScenario } from './record-requests.ts';
import { SENT_TEXT } from './scenarios.ts';
import type { Usage } from './usage-probe.ts';

/** What large attachments cost the API's process: the most memory it had meanwhile, beyond what it had before, in bytes. */
export interface AttachmentFigures {
  /** The first large one of a process: its memory grows to what it needs, and keeps that. */
  first: number;
  another: number;
  ten: number;
}

const ATTACHMENT_BYTES = 25 * 2 ** 20;
/** The most that one may add, and ten at once (bytes). */
export const ATTACHMENTS_TARGET = 40 * 2 ** 20;

/** Sends one attachment of the largest size, then ten at the same time, into the measured parent's chains. */
export async function measureAttachments(api: Process, prepared: PreparedScenario): Promise<AttachmentFigures> {
  const [request] = prepared.requests;
  const content = new Uint8Array(
    Buffer.concat([samplePdf('A scan'), Buffer.alloc(ATTACHMENT_BYTES)], ATTACHMENT_BYTES),
  );
  const large = new Blob([content], { type: 'application/pdf' });
  const send = async (file: Blob) => {
    const body = new FormData();
    body.set('message', SENT_TEXT);
    body.append('files', file, 'scan.pdf');
    const { authorization = '' } = (request?.headers ?? {}) as Record<string, string>;
    const response = await fetch(`${api.baseUrl}${request?.path}`, {
      method: 'POST',
      body,
      headers: { authorization },
    });
    if (response.status !== 201)
      throw new Error(`an attachment is answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  const added = async (count: number) => {
    const { rss } = await api.ask<Usage>('watch');
    await Promise.all(Array.from({ length: count }, () => send(large)));
    return Math.max(0, (await api.ask<Usage>('watched')).rss - rss);
  };
  // What is loaded and compiled for the first attachment of all stays, and is none of the large one's.
  await send(new Blob([new Uint8Array(samplePdf('A receipt'))], { type: 'application/pdf' }));
  return { first: await added(1), another: await added(1), ten: await added(10) };
}
