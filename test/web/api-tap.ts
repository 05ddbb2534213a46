import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after } from 'node:test';
import { freePorts } from '../../scripts/test/free-ports.mjs';

/** A call from the web server to the API's sign-in endpoints. */
export interface AuthCall {
  /** The part of the path after `/api/user/auth/`. */
  name: string;
  headers: IncomingHttpHeaders;
  body: Record<string, string>;
  status: number;
  answer: Record<string, string>;
}

export interface ApiTap {
  /** The value of the web server's `API_URL`. */
  url: string;
  /** The port that the API itself must listen on. */
  apiPort: number;
  calls: AuthCall[];
  /** All other calls, with their `Authorization` header. */
  passed: { path: string; authorization: string | undefined }[];
  /** Answers calls of a path with this status until it is set to null. */
  answerWith(path: string, status: number | null): void;
  /** Changes the API's answers to a sign-in call before the web server gets them, until it is set to null. */
  changeAnswers(name: string, change: ((answer: AuthCall['answer']) => Promise<AuthCall['answer']>) | null): void;
}

const KEPT_OPEN_MS = 72_000;

/** Starts a proxy between the web server and the API. It records the sign-in calls and can answer in place of the API. */
export async function startApiTap(): Promise<ApiTap> {
  const [apiPort = 0] = await freePorts(1);
  const calls: AuthCall[] = [];
  const passed: ApiTap['passed'] = [];
  const answers = new Map<string, number>();
  const changes = new Map<string, (answer: AuthCall['answer']) => Promise<AuthCall['answer']>>();
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? '/';
    const instead = answers.get(path.split('?')[0] ?? path);
    if (instead !== undefined) {
      outgoing.writeHead(instead, { 'content-type': 'application/problem+json' });
      return outgoing.end(JSON.stringify({ status: instead, message: 'Answered by the test.', code: 'test' }));
    }
    const name = /^\/api\/user\/auth\/([\w-]+)$/.exec(path)?.[1];
    if (name !== undefined) {
      const body = (await json(incoming)) as AuthCall['body'];
      const headers = { ...incoming.headers, 'content-length': undefined };
      const given = Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      const response = await fetch(`http://127.0.0.1:${apiPort}${path}`, {
        method: 'POST',
        headers: given.filter(([key]) => !['connection', 'host', 'transfer-encoding'].includes(key)),
        body: JSON.stringify(body),
      });
      const real = (await response.json()) as AuthCall['answer'];
      const answer = (await changes.get(name)?.(real)) ?? real;
      calls.push({ name, headers: incoming.headers, body, status: response.status, answer });
      const retryAfter = response.headers.get('retry-after');
      const type = response.headers.get('content-type') ?? 'application/json';
      outgoing.writeHead(response.status, {
        'content-type': type,
        ...(retryAfter ? { 'retry-after': retryAfter } : {}),
      });
      return outgoing.end(JSON.stringify(answer));
    }
    const { method, headers } = incoming;
    passed.push({ path, authorization: headers.authorization });
    const onward = httpRequest({ host: '127.0.0.1', port: apiPort, path, method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    return incoming.pipe(onward);
  });
  // This is the API's own value. A shorter one could close a connection that a busy web server is about to use.
  server.keepAliveTimeout = KEPT_OPEN_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiPort,
    calls,
    passed,
    changeAnswers(name, change) {
      if (change === null) changes.delete(name);
      else changes.set(name, change);
    },
    answerWith(path, status) {
      if (status === null) answers.delete(path);
      else answers.set(path, status);
    },
  };
}
