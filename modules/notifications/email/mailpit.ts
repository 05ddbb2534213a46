import type { Transport } from 'nodemailer';
import { answerWords, below } from '../provider-answers.ts';
import { type EmailProvider, PermanentFailure, parseSender } from './outgoing-email.ts';

interface MailpitSettings {
  from: string;
  giveUpAfterMs: number;
}

/** Mailpit by its HTTP API (`http://host:8025`), or any SMTP server (`smtp://host:1025`). */
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
        signal: AbortSignal.timeout(giveUpAfterMs),
      });
      const answer = await response.text();
      if (response.status === 400) throw new PermanentFailure(`Mailpit refused the mail: ${answer.slice(0, 200)}`);
      if (!response.ok) throw new Error(answerWords('Mailpit', baseUrl, response.status));
      return String((JSON.parse(answer) as { ID?: unknown }).ID ?? '');
    },
  };
}

function bySmtp(url: string, { from, giveUpAfterMs }: MailpitSettings): EmailProvider {
  const timeouts = {
    connectionTimeout: giveUpAfterMs,
    greetingTimeout: giveUpAfterMs,
    socketTimeout: giveUpAfterMs,
  };
  // Loaded with the first mail: only the worker ever sends one.
  let transport: Transport | undefined;
  const { Email: address, Name: name } = parseSender(from);
  return {
    name: 'mailpit',
    async send({ to, subject, html, text, headers = {} }) {
      try {
        // By any other way the transport would add an id of its own to ours.
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
