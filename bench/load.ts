import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface BenchRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

export interface Load {
  requests_per_second: number;
  /** Milliseconds of each response, in no particular order. */
  latencies: number[];
}

const CONNECTIONS = 8;
/** A measurement lasts until there are this many responses, even if that takes longer than its time. */
const REQUESTS_MIN = 20;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Sends requests on all connections for this long. Each connection sends them in turn, and each starts at another one. */
export async function runLoad(baseUrl: string, requests: BenchRequest[], seconds: number): Promise<Load> {
  const latencies: number[] = [];
  const start = performance.now();
  let end = start;
  const isOver = () => latencies.length >= REQUESTS_MIN && end - start >= seconds * 1000;
  const work = async (connection: number) => {
    for (let n = connection; !isOver(); n += 1) {
      const begun = performance.now();
      await send(baseUrl, requests[n % requests.length] as BenchRequest);
      end = performance.now();
      latencies.push(end - begun);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => work(connection)));
  return { requests_per_second: latencies.length / ((end - start) / 1000), latencies };
}

/**
 * Makes one request with Node's bare client, as `fetch` costs the measured machine several times as much.
 * @returns the body
 * @throws {Error} for any status other than 2xx
 */
export async function send(baseUrl: string, { method, path, headers, body }: BenchRequest): Promise<Buffer> {
  const length: Record<string, number> = body === undefined ? {} : { 'content-length': body.length };
  const call = request(baseUrl + path, { method, agent, headers: { ...headers, ...length }, timeout: 30_000 });
  const [response] = (await once(call.end(body), 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const answer = Buffer.concat(chunks);
  if ((response.statusCode ?? 500) < 300) return answer;
  throw new Error(`${method} ${path} answers ${response.statusCode}: ${answer}`);
}

/** Makes one request and parses its JSON. */
export async function sendForJson<Answer>(baseUrl: string, request: BenchRequest): Promise<Answer> {
  return JSON.parse((await send(baseUrl, request)).toString());
}
