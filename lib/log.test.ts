import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** The lines that a process logs which runs this code with `log`. */
function logged(code: string): Record<string, unknown>[] {
  const program = `
    import { createLog } from './log.ts';
    import { runInRequest } from './request-context.ts';
    const log = createLog('example');
    ${code}`;
  const options = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], options);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** The names of fields that are hidden wherever a caller puts them. */
const SECRET = (
  'pass_hash new_pass_hash password password_hash token tfa_token access_token refresh_token authorization cookie ' +
  'endpoint phone email email_address'
).split(' ');

test('[METRIC-3] secrets and personal data are hidden at each of the first three levels, and nothing else is', () => {
  const fields = JSON.stringify(Object.fromEntries([...SECRET, 'request_id', 'status'].map((name) => [name, 'a value'])));
  const [line, nested] = logged(`log.info(${fields}); log.info({ one: ${fields}, req: { headers: ${fields} } });`);
  const hidden = Object.fromEntries(SECRET.map((name) => [name, '[hidden]']));
  const expected = { ...hidden, request_id: 'a value', status: 'a value' };
  const { level: _, time: __, name, ...shown } = line ?? {};
  assert.deepEqual([name, shown], ['example', expected]);
  assert.deepEqual([nested?.one, nested?.req], [expected, { headers: expected }]);
});

test('[METRIC-4] each line names the request that it belongs to, and the place in its trace', () => {
  const request = { request_id: 'request-1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  const lines = logged(`
    log.info('before');
    runInRequest(${JSON.stringify(request)}, () => { log.info('at once'); setImmediate(() => log.info('later')); });
    log.info('after');`);
  assert.deepEqual(
    lines.map(({ msg, request_id, traceparent }) => ({ msg, request_id, traceparent })),
    [
      { msg: 'before', request_id: undefined, traceparent: undefined },
      { msg: 'at once', ...request },
      { msg: 'after', request_id: undefined, traceparent: undefined },
      { msg: 'later', ...request },
    ],
  );
});

test('a log has the lines of its level and of those above', () => {
  const lines = logged(`
    for (const level of [undefined, 'error', 'silent']) {
      const log = createLog(String(level), level);
      for (const one of ['trace', 'debug', 'info', 'warn', 'error', 'fatal']) log[one](one);
    }`);
  const messagesOf = (name: string) => lines.flatMap((line) => (line.name === name ? [line.msg] : [])).sort();
  assert.deepEqual(['undefined', 'error', 'silent'].map(messagesOf), [
    ['error', 'fatal', 'info', 'warn'],
    ['error', 'fatal'],
    [],
  ]);
});
