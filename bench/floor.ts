import type { AddressInfo } from 'node:net';
import { loadConfigWithDatabase } from '@case-platform/lib/config';
import multipart from '@fastify/multipart';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { jwtVerify } from 'jose';
import pg from 'pg';
import { SHAPES, type ShapeName } from './floor-shapes.ts';
import type { Statement } from './statement-recorder.ts';

/**
 * The floor: bare Fastify and `pg`. For each route it checks the token, then runs the statements that the API was
 * recorded to run for that token, named and thus prepared, and answers with the same JSON. No guard, no validation, no
 * query builder, no errors in words, no log.
 */

export interface FloorRoute {
  method: 'GET' | 'POST';
  /** With `:chain_id` where the API's path has it. */
  path: string;
  shape: ShapeName;
  /** The first one looks the user up. */
  statements: Statement[];
  /** Ids in the recorded values that belong to the request: the floor puts in its own. */
  recorded?: { chainId: number; messageId: number; text: string };
}

type Prepared = Statement & { name: string };
/** From the last statement's rows, or from those of all of them, in their order. */
type Shape = (rows: object[], results: object[][]) => unknown;

/** Where the API's statements draw a new message's id. */
const DRAWS_ID = /^\s*select (\/\*.*?\*\/ )?nextval/i;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const config = loadConfigWithDatabase('api');
const algorithm = { name: 'HMAC', hash: 'SHA-256' };
const key = await crypto.subtle.importKey('raw', Buffer.from(config.jwtSecret), algorithm, false, ['verify']);
const pool = new pg.Pool({ connectionString: config.databaseUrl, max: 20, options: '-c timezone=UTC' });
const app = fastify();
await app.register(multipart);

/** The signed-in user's id, or undefined. */
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
        rows = (await client.query({ ...statement, values: values.map((value) => adapt(value, recorded, own)) })).rows;
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

/** A recorded value, with this request's ids and text in the place of the recorded ones. */
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
    const [lookUp, ...rest] = statements.map(prepare);
    if (lookUp === undefined) throw new Error(`nothing was recorded for ${url}`);
    const shape = SHAPES[shapeName];
    const handler = recorded ? writeRoute(lookUp, rest, { shape, recorded }) : readRoute(lookUp, rest, shape);
    app.route({ method, url, handler });
  }
}

process.once('message', async (routes: FloorRoute[]) => {
  addRoutes(routes);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  process.send?.({ answer: 'routes', value: `http://127.0.0.1:${port}` });
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', async () => {
  await app.close();
  await pool.end();
  process.exit(0);
});
process.send?.('ready');
