import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environmentOf, isReadBy } from '../../lib/config/settings-of-processes.mjs';
import { COMPILE_CACHE, ROOT } from '../checkout/checkout.mjs';
import { endCommands, killCommands, runCommand } from '../checkout/run-command.mjs';
import { Refusal, say } from '../checkout/terminal.mjs';
import { startPostgres } from '../postgres/postgres.mjs';
import { Layer } from './layer.mjs';
import { openLayerLog } from './layer-log.mjs';
import { RestartBudget } from './restart-budget.mjs';

/** @typedef {import('./settings.mjs').LayerName} LayerName */

const END_ORDER = /** @type {LayerName[]} */ (['web', 'admin', 'api', 'worker', 'storage']);

/**
 * @typedef {object} PlatformOptions
 * @property {import('./settings.mjs').Settings} settings
 * @property {string} dataDir
 * @property {string} node the binary that runs the layers
 * @property {(reason: string) => void} onLost called when a part has died too often
 */

/** The database and the layers of one `npm start`. */
export class Platform {
  /** @type {Map<LayerName, Layer>} */
  #layers = new Map();
  /** @type {import('../postgres/postgres.mjs').Postgres | null} */
  #postgres = null;
  #restarts = new RestartBudget();
  /** @type {NodeJS.ProcessEnv} */
  #env;
  /** The address of the schema's owner, which only the preparation of the database gets. @type {NodeJS.ProcessEnv} */
  #ownerEnv = {};
  #options;
  #hasDemo = false;
  #stopping = false;

  /** @param {PlatformOptions} options */
  constructor(options) {
    this.#options = options;
    this.#env = { ...forwardingSecret(), ...process.env, DATA_DIR: options.dataDir };
  }

  /**
   * Starts database and object storage, then writes the schema and the demo into them.
   * @returns {Promise<boolean>} whether the demo's accounts are there
   * @throws {Refusal} when the configuration or the database cannot be used
   */
  async prepare() {
    const { settings } = this.#options;
    await Promise.all([
      settings.database ? this.#startDatabase() : undefined,
      settings.storage ? this.#startLayer('storage') : undefined,
    ]);
    const { node, dataDir } = this.#options;
    const log = openLayerLog(join(dataDir, 'logs'), 'prepare');
    /** @type {string[]} */
    const complaints = [];
    const args = [
      join('scripts', 'start', 'prepare.ts'),
      `--for=${settings.layers.join(',')}`,
      ...(settings.demo ? [] : ['--no-demo']),
    ];
    const { code, output } = await runCommand(node, args, {
      cwd: ROOT,
      env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...this.#env, ...this.#ownerEnv },
      onLine: (line) => (line.startsWith('{') ? log.write(line) : complaints.push(line)),
    });
    if (code !== 0) throw new Refusal(complaints.join('\n') || `The database cannot be prepared; see ${log.path}.`);
    // It may log `demo`, because only the database knows whether an earlier start has seeded it.
    const logged = /"demo":(true|false)/.exec(output)?.[1];
    this.#hasDemo = logged === undefined ? settings.demo : logged === 'true';
    return this.#hasDemo;
  }

  /**
   * Starts every layer and waits until each is ready.
   * @throws {Refusal} when one does not become ready
   */
  async startLayers() {
    await Promise.all(this.#options.settings.layers.map((name) => this.#startLayer(name)));
  }

  /** Ends everything in order: each layer before those that it calls. */
  async stop() {
    this.#stopping = true;
    await endCommands();
    for (const name of END_ORDER) await this.#layers.get(name)?.stop();
    await this.#postgres?.stop();
  }

  /** Ends everything at once. */
  kill() {
    this.#stopping = true;
    killCommands();
    for (const layer of this.#layers.values()) layer.kill();
    this.#postgres?.kill();
  }

  /** @param {LayerName} name */
  async #startLayer(name) {
    if (this.#stopping) return;
    const { dataDir, node, onLost, settings } = this.#options;
    const port = settings.listeners.find((listener) => listener.name === name)?.port;
    const probe = port === undefined ? null : `http://${reachable(settings.host)}:${port}/health/ready`;
    const env = environmentOf(name, this.#env);
    // For the sign-in pages (DEMO-4).
    if (this.#hasDemo && isReadBy(name, 'DEMO_PEOPLE')) env.DEMO_PEOPLE = '1';
    const layer = new Layer({ name, node, env, dataDir, probe, onLost });
    this.#layers.set(name, layer);
    await layer.start();
  }

  async #startDatabase() {
    this.#postgres = await startPostgres({ dataDir: this.#options.dataDir, mode: 'durable' });
    this.#env.DATABASE_URL = this.#postgres.urlAs();
    this.#env.API_DATABASE_URL = this.#postgres.urlAs('api');
    this.#env.ADMIN_DATABASE_URL = this.#postgres.urlAs('admin');
    this.#env.WORKER_DATABASE_URL = this.#postgres.urlAs('worker');
    this.#ownerEnv.MIGRATION_DATABASE_URL = this.#postgres.url;
    this.#postgres.ended.then(() => this.#databaseEnded());
  }

  /** Restarts the database on the same port, because the layers keep its address. */
  async #databaseEnded() {
    while (!this.#stopping) {
      const delay = this.#restarts.next();
      if (delay === null) return this.#options.onLost('The database keeps dying.');
      say('[postgres] has ended unexpectedly and is started again.');
      await sleep(delay);
      if (this.#stopping || this.#postgres === null) return;
      const { port } = this.#postgres;
      try {
        this.#postgres = await startPostgres({ dataDir: this.#options.dataDir, mode: 'durable', port });
        await this.#postgres.ended;
      } catch (error) {
        say(`[postgres] ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}

/**
 * All programs of this machine have the same address, so the API cannot recognize the web frontend by its address. A secret of
 * this start shows whose word about a visitor's address counts (EDGE-5). Production names the address or sets a secret.
 * @returns {NodeJS.ProcessEnv}
 */
function forwardingSecret() {
  return process.env.NODE_ENV === 'production' ? {} : { FORWARDING_SECRET: randomBytes(32).toString('base64url') };
}

/**
 * @param {string} host that a layer listens on, possibly all interfaces
 * @returns {string} a host at which this machine reaches it, as it is written in an address
 */
function reachable(host) {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
