import twilio, { type Twilio } from 'twilio';
import { below } from '../provider-answers.ts';

interface TwilioClientOptions {
  accountSid: string;
  authToken: string;
  baseUrl: string | undefined;
  giveUpAfterMs: number;
}

/** Twilio answers with one message, or with a few lines about an error. */
const ANSWER_MAX_BYTES = 64 * 1024;

/** Twilio's own SDK, pointed at another address if one is given. */
export function createTwilioClient({ accountSid, authToken, baseUrl, giveUpAfterMs }: TwilioClientOptions): Twilio {
  return twilio(accountSid, authToken, { httpClient: new ElsewhereClient(baseUrl, giveUpAfterMs), autoRetry: false });
}

/**
 * Twilio's client with another base address, which the SDK has no setting for. It limits the time and the size of an answer: the
 * SDK's time-out only ends a silent one. It throws refusals itself, because the SDK drops their headers, and the status of an
 * answer that is not in Twilio's form, such as a gateway's page.
 */
class ElsewhereClient extends twilio.RequestClient {
  #baseUrl: string | undefined;

  constructor(baseUrl: string | undefined, timeout: number) {
    super({ timeout });
    this.#baseUrl = baseUrl;
    this.axios.interceptors.request.use((call) => {
      call.maxContentLength = ANSWER_MAX_BYTES;
      call.signal = AbortSignal.timeout(timeout);
      return call;
    });
  }

  override request: twilio.RequestClient['request'] = async (options) => {
    const response = await super.request(this.#at(options));
    const { statusCode: status, headers } = response;
    const { sid, code } = parseAnswer(response.body);
    if (status >= 200 && status < 300 && typeof sid === 'string') return response;
    const retryAfter = (headers as Record<string, string | undefined> | undefined)?.['retry-after'];
    throw Object.assign(new Error('Twilio did not accept the call.'), { status, code, retryAfter });
  };

  #at<Options extends { uri: string }>(options: Options): Options {
    if (this.#baseUrl === undefined) return options;
    const { pathname, search } = new URL(options.uri);
    return { ...options, uri: below(this.#baseUrl, `${pathname}${search}`) };
  }
}

/** The id of a message that Twilio accepted, or its own code for an error; neither in an answer that is not Twilio's. */
function parseAnswer(body: unknown): { sid?: unknown; code?: unknown } {
  if (typeof body !== 'string') return typeof body === 'object' && body !== null ? body : {};
  try {
    return parseAnswer(JSON.parse(body) ?? {});
  } catch {
    return {};
  }
}
