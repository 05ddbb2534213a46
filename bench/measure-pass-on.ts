import { BENCH_PASSWORD, BENCH_USERS } from './scenarios.ts';

/** One small call, sent one after the other: to the API itself, and through the web server with the session's cookie. */
export interface PassOnFigures {
  api_p50_ms: number;
  web_p50_ms: number;
}

const PATH = '/api/messages/unread/count';
const CALLS = 400;
const WARM_UP = 100;

/** Sends both in turns, so that what else the machine does falls on both. */
export async function measurePassOn(apiUrl: string, webUrl: string, cookie: string): Promise<PassOnFigures> {
  const authorization = `Bearer ${await signIn(apiUrl)}`;
  const [api, web]: [number[], number[]] = [[], []];
  for (let call = 0; call < CALLS + WARM_UP; call++) {
    const direct = await time(apiUrl + PATH, { authorization });
    const passed = await time(webUrl + PATH, { cookie });
    if (call < WARM_UP) continue;
    api.push(direct);
    web.push(passed);
  }
  return { api_p50_ms: middle(api), web_p50_ms: middle(web) };
}

async function time(url: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now();
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answers ${response.status}`);
  return performance.now() - start;
}

async function signIn(apiUrl: string): Promise<string> {
  const response = await fetch(`${apiUrl}/api/user/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...BENCH_USERS.parent, pass_hash: BENCH_PASSWORD }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

function middle(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
