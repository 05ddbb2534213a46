import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import multipart from '@fastify/multipart';
import { hash, verify } from '@node-rs/argon2';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { jwtVerify } from 'jose';
import pLimit from 'p-limit';
import pg from 'pg';
import webpush from 'web-push';
import { SHAPES, type ShapeName } from './floor-shapes.ts';
import type { Statement } from './statement-recorder.ts';

/**
 * The floor: bare Fastify and `pg`. For each route it checks the token, then runs the statements that the API was
 * recorded to run for that token, named and thus prepared, and answers with the same JSON. It has no guards, validation,
 * query builder, error messages, or log. A sign-in is bare argon2id, and a push is bare web-push.
 */

export interface FloorRoute {
  method: 'GET' | 'POST';
  /** With `:chain_id` where the API's path has it. */
  path: string;
  shape: ShapeName;
  /** The first one looks the user up. */
  statements: Statement[];
  /** Values in the recorded statements that belong to the request, which the floor replaces with its own. */
  recorded?: { chainId: number; messageId: number; text: string };
}

export interface BareDevice {
  endpoint: string;
  keys: { p256dh: string; auth: string };
  /** The number of pushes to send to it. */
  count: number;
}

type Prepared = Statement & { name: string };
/** Makes an answer from the rows of the last statement, or from the rows of all statements in order. */
type Shape = (rows: object[], results: object[][]) => unknown;

/** The statement with which the API draws the id of a new message. */
const DRAWS_ID = /^\s*select (\/\*.*?\*\/ )?nextval/i;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const config = loadConfigWithDatabase('api');
const algorithm = { name: 'HMAC', hash: 'SHA-256' };
const key = await crypto.subtle.importKey('raw', Buffer.from(config.jwtSecret), algorithm, false, ['verify']);
const pool = new pg.Pool({ connectionString: config.databaseUrl, max: 20, options: '-c timezone=UTC' });
/** The parameters of modules/accounts/password/passwords.ts. */
const ARGON2ID = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const storedHash = await hash('Demo-Passw0rd!', ARGON2ID);
const vapidKeys = { subject: 'mailto:bench@demo.test', ...webpush.generateVAPIDKeys() };
/** The worker sends the same number of pushes at once. */
const pushLimit = pLimit(16);
const agent = new Agent({ keepAlive: true });
const app = fastify();
await app.register(multipart);

/** Returns the id of the signed-in user, or undefined. */
async function authenticate(request: FastifyRequest, lookUp: Prepared): Promise<number | undefined> {
  const { payload } = await jwtVerify(request.headers.authorization?.slice('Bearer '.length) ?? '', key, {
    algorithms: ['HS256'],
    issuer: 'case-platform',
    audience: 'case-platform-api',
  });
  const [user] = (await pool.query(lookUp)).rows;
  return String(user?.id) === payload.sub ? user.id : undefined;
}

function readRoute(lookUp: Prepared, statements: Prepared[], shape: Shape) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if ((await authenticate(request, lookUp)) === undefined) return reply.code(401).send();
    const results: object[][] = [];
    for (const statement of statements) results.push((await pool.query(statement)).rows);
    return shape(results.at(-1) ?? [], results);
  };
}

function writeRoute(
  lookUp: Prepared,
  statements: Prepared[],
  { shape, recorded }: { shape: Shape; recorded: NonNullable<FloorRoute['recorded']> },
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if ((await authenticate(request, lookUp)) === undefined) return reply.code(401).send();
    const own = { chainId: Number((request.params as { chain_id: string }).chain_id), messageId: 0, text: '' };
    for await (const part of request.parts()) if (part.type === 'field') own.text = String(part.value);
    const client = await pool.connect();
    try {
      let rows: { id?: number }[] = [];
      for (const { values, ...statement } of statements) {
        const result = await client.query({ ...statement, values: values.map((value) => adapt(value, recorded, own)) });
        // The commit comes last and has no rows.
        if (result.rows.length > 0) rows = result.rows;
        if (DRAWS_ID.test(statement.text)) own.messageId = rows[0]?.id ?? 0;
      }
      return reply.code(201).send(shape(rows, [rows]));
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
}

/** Returns a recorded value with this request's ids and text in place of the recorded ones. */
function adapt(value: unknown, recorded: NonNullable<FloorRoute['recorded']>, own: typeof recorded): unknown {
  if (value === recorded.messageId) return own.messageId;
  if (value === recorded.chainId) return own.chainId;
  if (value === recorded.text) return own.text;
  return typeof value === 'string' ? value.replaceAll(String(recorded.messageId), String(own.messageId)) : value;
}

function addRoutes(routes: FloorRoute[]): void {
  const names = new Map<string, string>();
  const prepare = (statement: Statement): Prepared => {
    const name = names.get(statement.text) ?? `floor-${names.size}`;
    names.set(statement.text, name);
    return { name, ...statement };
  };
  for (const { method, path: url, shape: shapeName, statements, recorded } of routes) {
    if (shapeName === 'none') {
      app.route({ method, url, handler: verifyPassword });
      continue;
    }
    const [lookUp, ...rest] = statements.map(prepare);
    if (lookUp === undefined) throw new Error(`nothing was recorded for ${url}`);
    const shape = SHAPES[shapeName];
    const handler = recorded ? writeRoute(lookUp, rest, { shape, recorded }) : readRoute(lookUp, rest, shape);
    app.route({ method, url, handler });
  }
}

async function verifyPassword(request: FastifyRequest, reply: FastifyReply) {
  const { pass_hash } = request.body as { pass_hash: string };
  return reply.code((await verify(storedHash, pass_hash)) ? 200 : 401).send({});
}

async function pushOnce({ endpoint, keys: device }: BareDevice): Promise<void> {
  const payload = JSON.stringify({ title: 'New message', body: 'A message from a demo person', data: { url: '/' } });
  const { headers, body } = webpush.generateRequestDetails({ endpoint, keys: device }, payload, {
    vapidDetails: vapidKeys,
  });
  const request = httpRequest(endpoint, { method: 'POST', agent, headers: headers as Record<string, string> }).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
}

process.on('message', async (message: FloorRoute[] | BareDevice | string) => {
  if (typeof message === 'string') return;
  if ('endpoint' in message) {
    process.send?.({ answer: 'push', value: null });
    await pushLimit.map(Array(message.count).fill(message), pushOnce);
    return;
  }
  addRoutes(message);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  process.send?.({ answer: 'routes', value: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
process.send?.({ ready: true });
