import type { Transport } from 'nodemailer';
import { answerWords, below, temporaryFailure } from '../provider-answers.ts';
import { type EmailProvider, PermanentFailure, parseSender } from './outgoing-email.ts';

const ANSWER_MAX_BYTES = 64 * 1024;

interface MailpitSettings {
  from: string;
  giveUpAfterMs: number;
}

/** Sends with Mailpit's HTTP API (`http://host:8025`), or with any SMTP server (`smtp://host:1025`). */
export function mailpit(url: string, settings: MailpitSettings): EmailProvider {
  return /^smtps?:/i.test(url) ? bySmtp(url, settings) : byHttp(url, settings);
}

function byHttp(baseUrl: string, { from, giveUpAfterMs }: MailpitSettings): EmailProvider {
  return {
    name: 'mailpit',
    async send({ to, subject, html, text, headers = {} }) {
      const response = await fetch(below(baseUrl, '/api/v1/send'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          From: parseSender(from),
          To: [{ Email: to }],
          Subject: subject,
          HTML: html,
          Text: text,
          Headers: headers,
        }),
        redirect: 'manual',
        signal: AbortSignal.timeout(giveUpAfterMs),
      });
      const answer = await readBeginning(response);
      if (response.status === 400) throw new PermanentFailure(`Mailpit refused the mail: ${answer.slice(0, 200)}`);
      const id = response.ok ? parseId(answer) : null;
      if (id !== null) return id;
      throw temporaryFailure(answerWords('Mailpit', baseUrl, response.status), response.headers.get('retry-after'));
    },
  };
}

/** Mailpit's id of an accepted mail, or null if the answer is not Mailpit's. */
function parseId(answer: string): string | null {
  try {
    const { ID } = JSON.parse(answer) as { ID?: unknown };
    return typeof ID === 'string' ? ID : null;
  } catch {
    return null;
  }
}

/** Reads up to `ANSWER_MAX_BYTES`, so that an endless answer does not fill the memory. */
async function readBeginning({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    size += piece.length;
    if (size >= ANSWER_MAX_BYTES) break;
  }
  return Buffer.concat(pieces).toString();
}

function bySmtp(url: string, { from, giveUpAfterMs }: MailpitSettings): EmailProvider {
  const timeouts = {
    connectionTimeout: giveUpAfterMs,
    greetingTimeout: giveUpAfterMs,
    socketTimeout: giveUpAfterMs,
  };
  // Loaded with the first mail, because only the worker sends mail.
  let transport: Transport | undefined;
  const { Email: address, Name: name } = parseSender(from);
  return {
    name: 'mailpit',
    async send({ to, subject, html, text, headers = {} }) {
      try {
        // If the id were passed as a header, the transport would add its own as well.
        const { 'Message-ID': id, ...others } = headers;
        const mail = { from: { name, address }, to, subject, html, text, headers: others };
        transport ??= (await import('nodemailer')).createTransport({ url, ...timeouts });
        const { messageId } = await transport.sendMail(id === undefined ? mail : { ...mail, messageId: id });
        return messageId;
      } catch (error) {
        const { responseCode: code = 0 } = error as { responseCode?: number };
        // 5yz is a permanent negative completion (RFC 5321, 4.2.1).
        if (code >= 500) throw new PermanentFailure(`The mail server refused the mail (${code}).`);
        throw new Error(`The mail server answered ${code === 0 ? 'nothing' : code}.`);
      }
    },
  };
}
