import commonClient from '@sendgrid/client';
import commonService from '@sendgrid/mail';

export type MailService = typeof commonService;
/** The packages only export shared instances with these types, so their classes are read from the instances. */
const Client = commonClient.constructor as new () => typeof commonClient;
const MailService = commonService.constructor as new () => MailService;

interface MailServiceOptions {
  apiKey: string;
  baseUrl: string | undefined;
  giveUpAfterMs: number;
}

/** Far more than SendGrid's answer, which is empty or a few lines about an error. */
const ANSWER_MAX_BYTES = 64 * 1024;

/**
 * Creates SendGrid's SDK for one mail, for another base address if one is given. The call ends after `giveUpAfterMs` even if the
 * answer keeps arriving. Redirects are not followed, because the page at their end would count as an accepted mail.
 */
export function createMailService({ apiKey, baseUrl, giveUpAfterMs }: MailServiceOptions): MailService {
  const client = new Client();
  client.setApiKey(apiKey);
  const origin = baseUrl === undefined ? {} : { baseUrl: `${baseUrl.replace(/\/+$/, '')}/` };
  // The SDK passes all options on to its HTTP client.
  const limits = { maxRedirects: 0, maxContentLength: ANSWER_MAX_BYTES, signal: AbortSignal.timeout(giveUpAfterMs) };
  const defaults = { url: '', ...origin, ...limits };
  client.setDefaultRequest(defaults);
  const service = new MailService();
  service.setClient(client);
  return service;
}
