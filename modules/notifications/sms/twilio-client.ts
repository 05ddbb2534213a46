import twilio, { type Twilio } from 'twilio';
import { below } from '../provider-answers.ts';

interface TwilioClientOptions {
  accountSid: string;
  authToken: string;
  baseUrl: string | undefined;
  giveUpAfterMs: number;
}

/** Twilio's own SDK, pointed at another address where one is given. */
export function createTwilioClient({ accountSid, authToken, baseUrl, giveUpAfterMs }: TwilioClientOptions): Twilio {
  return twilio(accountSid, authToken, { httpClient: new ElsewhereClient(baseUrl, giveUpAfterMs), autoRetry: false });
}

/**
 * Twilio's client with a time-out, and another base address where one is given: the SDK has no setting for that. A refusal
 * that is not in Twilio's own form, such as a gateway's page, would lose its status in the SDK: it is thrown here.
 */
class ElsewhereClient extends twilio.RequestClient {
  #baseUrl: string | undefined;

  constructor(baseUrl: string | undefined, timeout: number) {
    super({ timeout });
    this.#baseUrl = baseUrl;
  }

  override request: twilio.RequestClient['request'] = async (options) => {
    const response = await super.request(this.#at(options));
    if (response.statusCode >= 400 && !isTwilioError(response.body))
      throw Object.assign(new Error('not in the form of Twilio'), { status: response.statusCode });
    return response;
  };

  #at<Options extends { uri: string }>(options: Options): Options {
    if (this.#baseUrl === undefined) return options;
    const { pathname, search } = new URL(options.uri);
    return { ...options, uri: below(this.#baseUrl, `${pathname}${search}`) };
  }
}

/** Twilio answers an error as JSON with a code of its own. */
function isTwilioError(body: unknown): boolean {
  if (typeof body === 'string') {
    try {
      return isTwilioError(JSON.parse(body));
    } catch {
      return false;
    }
  }
  return typeof body === 'object' && body !== null && 'code' in body;
}
