import { invalid } from '@case-platform/lib/errors';
import { readSendGridEvents, readTwilioStatus, recordReports } from '@case-platform/modules/notifications';
import { Type } from 'typebox';
import type { ApiServer } from '../api-context.ts';
import { createSignatureGuards, readForm } from '../guards/signature-guards.ts';

const REPORTS_MAX_BYTES = 1024 * 1024;
const STATUS_MAX_BYTES = 32 * 1024;

/** Receives the reports of SendGrid and Twilio about messages: delivered, bounced, unsubscribed (NOTIFY-10). */
export function providerReportRoutes({ app, context }: ApiServer): void {
  const guards = createSignatureGuards(context);
  const tags = ['webhooks'];

  app.register(async (scope) => {
    // The signature covers the raw body, so it is not parsed.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    scope.post(
      '/webhooks/sendgrid',
      {
        config: { guard: guards.sendgridSignature(), isUncounted: true },
        bodyLimit: REPORTS_MAX_BYTES,
        schema: {
          tags,
          summary: 'Receive SendGrid’s signed events',
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const reports = readSendGridEvents(readJson(request.body as Buffer));
        await recordReports(context.db, { channel: 'email', source: 'sendgrid' }, reports, context.now());
        return reply.code(204).send(null);
      },
    );

    scope.post(
      '/webhooks/twilio',
      {
        config: { guard: guards.twilioSignature(), isUncounted: true },
        bodyLimit: STATUS_MAX_BYTES,
        schema: {
          tags,
          summary: 'Receive Twilio’s signed status reports',
          response: { 204: Type.Null() },
        },
      },
      async (request, reply) => {
        const report = readTwilioStatus(readForm(request.body as Buffer), request.query as Record<string, unknown>);
        const reports = report === null ? [] : [report];
        await recordReports(context.db, { channel: 'sms', source: 'twilio' }, reports, context.now());
        return reply.code(204).send(null);
      },
    );
  });
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw invalid('body', 'The body is not JSON.');
  }
}
