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

/** SendGrid's own SDK, pointed at another address where one is given. */
export function createMailService({ apiKey, baseUrl, giveUpAfterMs }: MailServiceOptions): MailService {
  const client = new Client();
  client.setApiKey(apiKey);
  const origin = baseUrl === undefined ? {} : { baseUrl: `${baseUrl.replace(/\/+$/, '')}/` };
  // The SDK hands on whatever its HTTP client knows, this time-out too.
  const defaults = { url: '', ...origin, timeout: giveUpAfterMs };
  client.setDefaultRequest(defaults);
  const service = new MailService();
  service.setClient(client);
  return service;
}
