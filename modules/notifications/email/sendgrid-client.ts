import commonClient from '@sendgrid/client';
import commonService from '@sendgrid/mail';

export type MailService = typeof commonService;
/** Their types can be imported as what the packages make themselves, one for everybody: these are the classes of it. */
const Client = commonClient.constructor as new () => typeof commonClient;
const MailService = commonService.constructor as new () => MailService;

interface MailServiceOptions {
  apiKey: string;
  baseUrl: string | undefined;
  giveUpAfterMs: number;
}

/** SendGrid answers with nothing, or with a few lines about an error. */
const ANSWER_MAX_BYTES = 64 * 1024;

/**
 * SendGrid's own SDK for one mail, pointed at another address if one is given. The call ends after `giveUpAfterMs` even if the
 * answer keeps arriving. It follows no redirect, because the page at the end would count as a mail that was accepted.
 */
export function createMailService({ apiKey, baseUrl, giveUpAfterMs }: MailServiceOptions): MailService {
  const client = new Client();
  client.setApiKey(apiKey);
  const origin = baseUrl === undefined ? {} : { baseUrl: `${baseUrl.replace(/\/+$/, '')}/` };
  // The SDK passes on whatever its HTTP client knows.
  const limits = { maxRedirects: 0, maxContentLength: ANSWER_MAX_BYTES, signal: AbortSignal.timeout(giveUpAfterMs) };
  const defaults = { url: '', ...origin, ...limits };
  client.setDefaultRequest(defaults);
  const service = new MailService();
  service.setClient(client);
  return service;
}
