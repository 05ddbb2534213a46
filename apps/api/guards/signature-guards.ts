import { UnauthenticatedError } from '@case-platform/lib/errors';
import { ADMITTED, type Guard } from '@case-platform/lib/guards';
import { isSignedBySendGrid, isSignedByTwilio } from '@case-platform/modules/notifications';
import type { FastifyRequest } from 'fastify';

/** The keys that providers sign their reports with; without one, their reports are rejected. */
export interface ReportKeys {
  sendgridPublicKey?: string | undefined;
  twilioAuthToken?: string | undefined;
  /** The API's public address: Twilio signs the full address that it calls. */
  apiUrl: string;
}

const HEADER_MAX = 500;

/**
 * Guards for reports of mail and text providers (NOTIFY-10). A signature over the body proves who is calling, so it is verified
 * once the raw body is there; a request without a signature is rejected before that. Both are a 401.
 */
export function createSignatureGuards({ reportKeys, now }: { reportKeys: ReportKeys; now: () => Date }) {
  const { sendgridPublicKey, twilioAuthToken, apiUrl } = reportKeys;

  function sendgridSignature(): Guard<true> {
    const [SIGNATURE, TIMESTAMP] = ['x-twilio-email-event-webhook-signature', 'x-twilio-email-event-webhook-timestamp'] as const;
    return signatureGuard('sendgridSignature()', [SIGNATURE, TIMESTAMP], async (request) => {
      const [signature, timestamp] = [header(request, SIGNATURE), header(request, TIMESTAMP)];
      const body = request.body as Buffer;
      return sendgridPublicKey !== undefined && isSignedBySendGrid(sendgridPublicKey, { signature, timestamp, body }, now());
    });
  }

  function twilioSignature(): Guard<true> {
    return signatureGuard('twilioSignature()', ['x-twilio-signature'], async (request) => {
      const signature = header(request, 'x-twilio-signature');
      const form = readForm(request.body as Buffer);
      return (
        twilioAuthToken !== undefined && isSignedByTwilio(twilioAuthToken, { signature, url: `${apiUrl}${request.url}`, form })
      );
    });
  }

  return { sendgridSignature, twilioSignature };
}

function signatureGuard(name: string, headers: readonly string[], isSigned: (request: FastifyRequest) => Promise<boolean>) {
  const rejection = () => new UnauthenticatedError('A valid signature is needed.');
  return {
    name,
    admit(request: FastifyRequest) {
      if (headers.some((each) => header(request, each) === '')) throw rejection();
      return ADMITTED;
    },
    async admitBody(request: FastifyRequest) {
      if (!Buffer.isBuffer(request.body) || !(await isSigned(request))) throw rejection();
    },
    actor: () => true as const,
  } satisfies Guard<true>;
}

/** A header's single value; empty if it is missing, repeated, or far too long. */
function header({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' && value.length <= HEADER_MAX ? value : '';
}

/** The fields of a form; for a repeated field, the last value. */
export function readForm(body: Buffer): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body.toString()));
}
