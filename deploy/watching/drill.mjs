import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  apiUrl,
  databaseUrl,
  disk,
  end,
  prometheusUrl,
  serve,
  signal,
  startPlatform,
  startWatching,
  stopServing,
  until,
} from './drill-place.mjs';

/**
 * Makes every alert of alerts.yaml fire once, by the fault that it is for, on a platform that really runs, and go away again: `node
 * deploy/watching/drill.mjs`, as root, with Debian's prometheus, prometheus-blackbox-exporter, prometheus-node-exporter and nginx
 * installed. What differs from the rules is what would take minutes: for how long something has to last, and how old a queue may be.
 */

process.exitCode = 1;
try {
  await startPlatform();
  await startWatching();
  await look('nothing', [], async () => {});
  await practise();
  process.exitCode = 0;
} finally {
  await end();
}

async function practise() {
  const stop = (/** @type {string} */ layer) => signal(layer, 'SIGSTOP');
  const authorization = await signIn();
  const goOn = (/** @type {string} */ layer) => signal(layer, 'SIGCONT');
  await look('the worker is stopped (SIGSTOP) while people ask for links', ['NoWorker', 'QueueOld'], async () => {
    stop('worker');
    await askForLinks();
    return async () => goOn('worker');
  });
  await look('the mail provider answers 401', ['ProviderRefuses'], async () => {
    await askForLinks();
    return async () => {};
  });
  await look('a job fails for the last time', ['DeadJobs'], async () => {
    const payload = `json_build_object('delivery_id', 'none')`;
    await asOwner(`select graphile_worker.add_job('deliver_email', payload := ${payload}, max_attempts := 1)`);
    return () => asOwner('delete from graphile_worker._private_jobs where attempts = max_attempts');
  });
  await look('the staff application is stopped (SIGSTOP)', ['ProcessDown'], async () => {
    stop('admin');
    return async () => goOn('admin');
  });
  await look('the object store is stopped (SIGSTOP)', ['BucketGone'], async () => {
    stop('storage');
    return async () => goOn('storage');
  });
  await look('the database lets nobody in', ['DatabaseAway', 'ErrorsAnswered', 'LiveUpdatesLate'], async () => {
    await letIn(false);
    const calls = callOften(authorization, 1000);
    return async () => {
      calls.end();
      await letIn(true);
    };
  });
  await look('the database can only be read', ['DatabaseReadOnly'], async () => {
    await readOnly(true);
    return () => readOnly(false);
  });
  await look('somebody holds the lock of a table', ['PoolEmpty'], async () => {
    const holder = new pg.Client({ connectionString: databaseUrl });
    holder.on('error', () => {});
    await holder.connect();
    // The platform's role ends a transaction in which nothing is done; who does this is another one.
    await holder.query('set idle_in_transaction_session_timeout = 0');
    await holder.query('begin; lock table user_account in access exclusive mode');
    const calls = callOften(authorization, 50);
    return async () => {
      calls.end();
      await holder.query('rollback');
      await holder.end();
    };
  });
  await look('the certificate has seven days left', ['CertificateEnds'], async () => {
    await serve(7);
    return () => serve(90);
  });
  await look('nginx is away', ['AddressUnreachable'], async () => {
    stopServing();
    return () => serve(90);
  });
  await look('a disk is full', ['DiskFull'], async () => {
    const file = join(disk, 'large');
    writeFileSync(file, Buffer.alloc(17 * 1024 ** 2));
    return async () => rmSync(file);
  });
}

/**
 * Does what goes wrong, waits until these alerts fire, undoes it, and waits until none does.
 * @param {string} fault
 * @param {string[]} alerts
 * @param {() => Promise<void | (() => Promise<unknown>)>} begin undone by what it returns
 */
async function look(fault, alerts, begin) {
  const from = performance.now();
  const undo = await begin();
  const others = new Set();
  await until(`${alerts} fire`, async () => {
    const now = await firing();
    for (const name of now) if (!alerts.includes(name)) others.add(name);
    return alerts.every((name) => now.includes(name));
  });
  const fired = performance.now();
  await undo?.();
  await until('none fires', async () => (await firing()).length === 0);
  const seconds = (/** @type {number} */ ms) => Math.round(ms / 1000);
  const along = others.size > 0 ? `, along with ${[...others].join(', ')}` : '';
  console.log(
    `${fault}: ${alerts.join(', ') || 'none'} after ${seconds(fired - from)} s${along}; quiet ${seconds(performance.now() - fired)} s later`,
  );
}

/** @returns {Promise<string[]>} */
async function firing() {
  const answer = await fetch(`${prometheusUrl}/api/v1/alerts`);
  const { data } = /** @type {{ data: { alerts: { state: string, labels: { alertname: string } }[] } }} */ (
    await answer.json()
  );
  return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
}

/** Asks for a new password for many, so that there are mails to be sent. */
async function askForLinks() {
  const people = await asOwner(
    `select email_address, user_type from user_account where status = 'active' and user_type <> 'admin' limit 12`,
  );
  for (const { email_address } of people)
    await fetch(`${apiUrl}/api/user/auth/password-reset/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        email_address,
        user_type: email_address.startsWith('surrogate') ? 'surrogate' : 'intended_parent',
      }),
    });
}

/**
 * Calls the API again and again as somebody who has signed in; each call asks the database.
 * @param {string} authorization
 * @param {number} everyMs
 */
function callOften(authorization, everyMs) {
  const call = () => fetch(`${apiUrl}/api/user/me`, { headers: { authorization } }).catch(() => {});
  const timer = setInterval(call, everyMs);
  return { end: () => clearInterval(timer) };
}

async function signIn() {
  const login = { email_address: 'parent@demo.test', user_type: 'intended_parent', pass_hash: 'Demo-Passw0rd!' };
  const answer = await fetch(`${apiUrl}/api/user/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  return `Bearer ${/** @type {{ access_token: string }} */ (await answer.json()).access_token}`;
}

/** @param {string} text */
async function asOwner(text) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** @param {string} text run where the platform's own database need not be reached */
async function asServer(text) {
  const url = new URL(databaseUrl);
  url.pathname = '/template1';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(text);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database()]);
  await client.end();
}

function database() {
  return new URL(databaseUrl).pathname.slice(1);
}

/** @param {boolean} allowed */
function letIn(allowed) {
  return asServer(`alter database "${database()}" with allow_connections ${allowed}`);
}

/** @param {boolean} isOn */
function readOnly(isOn) {
  return asServer(`alter database "${database()}" set default_transaction_read_only = ${isOn}`);
}
