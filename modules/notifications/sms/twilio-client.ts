import twilio, { type Twilio } from 'twilio';
import { below } from '../provider-answers.ts';

interface TwilioClientOptions {
  accountSid: string;
  authToken: string;
  baseUrl: string | undefined;
  giveUpAfterMs: number;
}

/** Far more than Twilio's answer, which is a message or a few lines about an error. */
const ANSWER_MAX_BYTES = 64 * 1024;

export function createTwilioClient({ accountSid, authToken, baseUrl, giveUpAfterMs }: TwilioClientOptions): Twilio {
  return twilio(accountSid, authToken, { httpClient: new ElsewhereClient(baseUrl, giveUpAfterMs), autoRetry: false });
}

/**
 * Twilio's HTTP client with another base address, for which the SDK has no setting. It limits the time and the size of an answer,
 * because the SDK's timeout only ends a silent one. It throws rejections itself, because the SDK drops their headers, and the
 * status of answers that are not in Twilio's format, such as a gateway's page.
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

/** The id of an accepted message, or Twilio's error code; neither in an answer that is not in Twilio's format. */
function parseAnswer(body: unknown): { sid?: unknown; code?: unknown } {
  if (typeof body !== 'string') return typeof body === 'object' && body !== null ? body : {};
  try {
    return parseAnswer(JSON.parse(body) ?? {});
  } catch {
    return {};
  }
}
