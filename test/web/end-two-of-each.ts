import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { enqueue } from '@case-platform/lib/jobs';
import { CASE_1 } from '../support/cast.ts';
import { eventually } from '../support/eventually.ts';
import { exitCode, type Instance, type Kind, outputOf, type startTwoOfEach } from './two-of-each.ts';

type Public = Exclude<Kind, 'worker'>;
type Credentials = Record<Public, Record<string, string>>;

const PUBLIC = ['web', 'api', 'admin'] as const;
const PAGES: Record<Public, string> = { web: '/login', api: '/openapi.json', admin: '/login' };
/** For each server, its stream of events, and a form that gets this status only once it has arrived completely. */
const WORK: Record<Public, { events: string; form: string; status: number }> = {
  web: { events: '/api/messages/events', form: '/api/messages', status: 201 },
  api: { events: '/api/messages/events', form: '/api/messages', status: 201 },
  admin: { events: '/messages/events', form: '/messages', status: 403 },
};

/** Ends the processes one after the other until none is left, so these must be the last tests of their file. */
export function testEnds(two: Awaited<ReturnType<typeof startTwoOfEach>>, signIn: () => Promise<Credentials>): void {
  const { web, api, admin, worker } = two.instances;
  const instance = (of: Instance[], at: number) => of[at] ?? assert.fail('it was never started');

  test('[PROCESS-1] a process that is told to end says so, and answers while it drains', async () => {
    for (const kind of PUBLIC) {
      const { child, port, internalPort } = instance(two.instances[kind], 0);
      child.kill('SIGTERM');
      await isNotReady(internalPort);
      assert.equal((await ask(port, '/health/ready')).status, 503, kind);
      const { status, connection } = await ask(port, PAGES[kind]);
      assert.deepEqual([status, connection], [200, 'close'], `${kind}: the next request goes to another process`);
      child.kill('SIGTERM');
      assert.equal((await ask(port, '/health/live')).status, 200, `${kind}: a second signal does not end it early`);
    }
  });

  test('[PROCESS-3] an exception that was not caught ends a process with a line, also while it drains', async () => {
    for (const [kind, [first]] of Object.entries(two.instances)) {
      assert.ok(first);
      first.child.kill('SIGUSR2');
      assert.equal(await exitCode(first.child), 1, kind);
      // Next.js also logs the exception in a line of its own.
      const lines = outputOf(first.child).split('\n');
      const [line = '', ...others] = lines.filter((one) => /^\{.*nobody caught this/.test(one));
      const { name, level, msg } = JSON.parse(line);
      assert.deepEqual([name, level, msg, others], [kind, 60, 'uncaught exception', []]);
      assert.doesNotMatch(line, /takes out types itself/, 'it runs what was compiled beforehand');
    }
  });

  test('[PROCESS-1] a process that closes ends its streams at once, and completes the upload that is under way', async () => {
    const credentials = await signIn();
    // The web frontend ends before the API that it needs.
    for (const [kind, [, second]] of [['web', web] as const, ['api', api] as const, ['admin', admin] as const]) {
      assert.ok(second);
      const { stream, idle, upload } = await beginWork(second.port, { ...WORK[kind], headers: credentials[kind] });
      second.child.kill('SIGTERM');
      assert.match(await stream, /^retry: /, `${kind}: the stream ends as a whole`);
      await idle;
      const { status, connection, body } = await upload();
      assert.deepEqual([status, connection], [WORK[kind].status, 'close'], `${kind}: ${body}`);
      assert.equal(await exitCode(second.child), 0, outputOf(second.child));
    }
  });

  test('[PROCESS-2] a worker that is told to end says so, and finishes its job', async () => {
    const { child, internalPort } = instance(worker, 1);
    const holder = await two.pool.connect();
    try {
      await holder.query('begin; lock table idempotency_key in access exclusive mode');
      await enqueue(two.pool, 'remove_old_rows', {});
      const waits = `select from pg_locks where relation = 'idempotency_key'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      await eventually('the job is under way', async () => (await two.pool.query(waits)).rows.length > 0);
      child.kill('SIGTERM');
      await isNotReady(internalPort);
      await holder.query('rollback');
    } finally {
      holder.release();
    }
    assert.equal(await exitCode(child), 0, outputOf(child));
    const jobs = `select from graphile_worker.jobs where task_identifier = 'remove_old_rows' and attempts > 0`;
    assert.equal((await two.pool.query(jobs)).rows.length, 0);
  });
}

async function isNotReady(internalPort: number): Promise<void> {
  await eventually('it is not ready', async () => (await ask(internalPort, '/health/ready')).status === 503);
  assert.equal((await ask(internalPort, '/health/live')).status, 200);
}

function send(port: number, path: string, options: RequestOptions = {}) {
  return request({ host: '127.0.0.1', port, path, ...options, agent: new Agent({ keepAlive: true }) });
}

async function ask(port: number, path: string) {
  return readAnswer(send(port, path).end());
}

async function readAnswer(call: ReturnType<typeof send>) {
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, connection: answer.headers.connection, body: await text(answer) };
}

interface Work {
  events: string;
  form: string;
  headers: Record<string, string>;
}

/** Opens a stream, sends half of an upload, and opens an idle connection, so that a process has work under way. */
async function beginWork(port: number, { events, form, headers }: Work) {
  const reading = send(port, events, { headers: { ...headers, accept: 'text/event-stream' } }).end();
  const [stream] = (await once(reading, 'response')) as [IncomingMessage];
  assert.equal(stream.statusCode, 200);

  const probe = send(port, '/health/live').end();
  const [socket] = await once(probe, 'socket');
  await readAnswer(probe);

  const fields = new FormData();
  for (const [name, value] of Object.entries({ message: 'Under way', case_id: String(CASE_1) })) fields.set(name, value);
  const whole = new Response(fields);
  const [type, body] = [whole.headers.get('content-type') ?? '', Buffer.from(await whole.arrayBuffer())];
  const about = { 'content-type': type, 'content-length': body.length, expect: '100-continue' };
  const sending = send(port, form, { method: 'POST', headers: { ...headers, ...about } });
  sending.flushHeaders();
  await once(sending, 'continue');
  sending.write(body.subarray(0, 50));

  return {
    stream: text(stream),
    idle: once(socket, 'close'),
    upload: () => readAnswer(sending.end(body.subarray(50))),
  };
}
