import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** Connections to the API are kept open; how many there are is up to the browsers, as each stream of events holds one. */
const agents = { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
/** How long either side may say nothing. The API says something on its streams every 20 seconds. */
const SILENT_MS = 300_000;

interface ApiCall {
  method: string;
  headers: Record<string, string>;
  /** Where the body comes from; null when there is none. */
  body: IncomingMessage | null;
  /** Ends the call, and the answer with it. */
  signal: AbortSignal;
}

/**
 * Calls the API by Node's own client, streaming both ways. Redirects are answers like others.
 * @returns its answer, whose body waits to be read; null when there is none.
 */
export async function callApi(target: URL, call: ApiCall): Promise<IncomingMessage | null> {
  const first = send(target, call);
  const answer = await answerTo(first);
  // The API closes connections that were idle for long; this call may have met one on its way.
  const lost = answer === null && first.reusedSocket && call.body === null && !call.signal.aborted;
  return lost && (call.method === 'GET' || call.method === 'HEAD') ? answerTo(send(target, call)) : answer;
}

function send(target: URL, { method, headers, body, signal }: ApiCall): ClientRequest {
  const secure = target.protocol === 'https:';
  const agent = secure ? agents.https : agents.http;
  const request = (secure ? httpsRequest : httpRequest)(target, { method, headers, agent, signal, timeout: SILENT_MS });
  request.once('timeout', () => request.destroy());
  // An answer may come before the whole body has been sent; what is left of it is then read and forgotten, or it would lie
  // before the browser's next call. A connection that the API closes after its answer is no error.
  const forgetRest = () => {
    body?.unpipe(request);
    body?.resume();
  };
  request.on('error', forgetRest);
  request.on('close', forgetRest);
  if (body === null) request.end();
  else body.pipe(request);
  return request;
}

function answerTo(request: ClientRequest): Promise<IncomingMessage | null> {
  return new Promise((resolve) => {
    request.once('response', resolve);
    request.once('error', () => resolve(null));
  });
}
