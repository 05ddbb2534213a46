import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAYER_ENVIRONMENT, LAYER_OPTIONS, ROOT } from '../checkout/checkout.mjs';
import { killGroup } from '../checkout/run-command.mjs';
import { Refusal, say } from '../checkout/terminal.mjs';
import { openLayerLog } from './layer-log.mjs';
import { RestartBudget } from './restart-budget.mjs';

const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 10_000;
const PROBE_WITHIN_MS = 3000;

/**
 * @typedef {object} LayerOptions
 * @property {string} name its folder in apps/
 * @property {string} node the binary that runs it
 * @property {NodeJS.ProcessEnv} env
 * @property {string} dataDir
 * @property {string | null} probe an address that must also answer 200 before the layer counts as ready; null for none
 * @property {(reason: string) => void} onLost called when it has died too often to be started again
 */

/** One process of the platform: started, watched, started again when it dies, stopped. */
export class Layer {
  #options;
  #log;
  #restarts = new RestartBudget();
  #stopping = false;
  #drainMs = 0;
  /** @type {import('node:child_process').ChildProcess | null} */
  #child = null;
  /** @type {Promise<void>} settles when the process that runs now has ended */
  #ended = Promise.resolve();

  /** @param {LayerOptions} options */
  constructor(options) {
    this.#options = options;
    this.#log = openLayerLog(join(options.dataDir, 'logs'), options.name);
  }

  /**
   * @returns {Promise<void>} once it is ready
   * @throws {Refusal} when it ends before that, with what it said, or takes two minutes
   */
  async start() {
    const early = await this.#run();
    if (early !== null) throw new Refusal(early);
    this.#ended.then(() => this.#startAgain());
  }

  /** Ends it with SIGTERM, and with SIGKILL ten seconds after its time for draining. */
  async stop() {
    this.#stopping = true;
    const child = this.#child;
    if (child === null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => killGroup(child.pid, 'SIGKILL'), this.#drainMs + STOP_WITHIN_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  kill() {
    this.#stopping = true;
    killGroup(this.#child?.pid, 'SIGKILL');
  }

  /** @returns {Promise<string | null>} null once it is ready, or the reason why it did not become ready */
  async #run() {
    const { name } = this.#options;
    /** @type {string[]} */
    const complaints = [];
    let ready = false;
    const child = this.#spawn((line) => {
      if (ready) this.#log.write(line, true);
      else complaints.push(line);
    });
    /** @type {string | null} */
    let end = null;
    const ended = this.#ended.then(() => {
      end = complaints.join('\n') || `${name} ended before it was ready (${howItEnded(child)}); see ${this.#log.path}.`;
    });
    await Promise.race([ended, this.#becomesReady(child, () => end !== null)]);
    ready = end === null && !this.#stopping;
    if (ready) for (const line of complaints) this.#log.write(line, true);
    return end;
  }

  /** @param {(line: string) => void} onError */
  #spawn(onError) {
    const { name, node, env } = this.#options;
    const child = spawn(node, [...LAYER_OPTIONS, join('apps', name, 'main.ts')], {
      cwd: ROOT,
      env: { ...LAYER_ENVIRONMENT, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // The channel lets it notice when the supervisor is gone. In a session of its own, Ctrl-C at the terminal does not reach
      // it:
      // the supervisor gets the signal and ends the layers in order.
      detached: true,
    });
    this.#child = child;
    if (child.stdout) createInterface(child.stdout).on('line', (line) => this.#log.write(line));
    if (child.stderr) createInterface(child.stderr).on('line', onError);
    this.#ended = new Promise((resolve) => {
      child.on('error', (error) => onError(error.message));
      // Processes that it started must not outlive it or keep its output open.
      child.on('exit', () => killGroup(child.pid, 'SIGKILL'));
      child.on('close', () => {
        this.#child = null;
        resolve();
      });
    });
    return child;
  }

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {() => boolean} isOver
   */
  async #becomesReady(child, isOver) {
    const { name, probe } = this.#options;
    let said = false;
    child.on('message', (message) => {
      const report = typeof message === 'object' && message !== null ? message : {};
      said ||= message === 'ready' || 'ready' in report;
      if ('drain_seconds' in report) this.#drainMs = Number(report.drain_seconds) * 1000;
    });
    const deadline = performance.now() + READY_WITHIN_MS;
    while (!isOver()) {
      if (said && (probe === null || (await answers(probe)))) return;
      if (performance.now() > deadline) {
        this.kill();
        throw new Refusal(`${name} was not ready within ${READY_WITHIN_MS / 1000} seconds; see ${this.#log.path}.`);
      }
      await sleep(50);
    }
  }

  async #startAgain() {
    while (!this.#stopping) {
      const { name, onLost } = this.#options;
      const delay = this.#restarts.next();
      if (delay === null) return onLost(`${name} keeps dying; see ${this.#log.path}.`);
      say(`[${name}] has ended unexpectedly and is started again.`);
      await sleep(delay);
      if (this.#stopping) return;
      const early = await this.#run().catch((error) => error.message);
      if (early === null) await this.#ended;
      else this.#log.write(early, true);
    }
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function howItEnded({ exitCode, signalCode }) {
  return signalCode === null ? `exit code ${exitCode}` : signalCode;
}

/** @param {string} url */
async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_WITHIN_MS) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
