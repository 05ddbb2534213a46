import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** A process of the platform that is started again whenever it ends, until it is retired. */
export class Layer {
  #child: ChildProcess | null = null;
  #retired = false;
  /** The name of its log. */
  readonly label: string;
  kills = 0;

  /** @param root the checkout that it is started from. */
  constructor(
    name: 'api' | 'admin' | 'worker' | 'storage',
    env: NodeJS.ProcessEnv,
    folder: string,
    { root = ROOT, label = name }: { root?: string; label?: string } = {},
  ) {
    this.label = label;
    const log = openSync(join(folder, `${label}.log`), 'a', 0o600);
    const start = () => {
      if (this.#retired) return;
      this.#child = spawn(process.execPath, [join('apps', name, 'main.ts')], {
        cwd: root,
        env,
        // The channel lets it notice when this process is gone, however it ended.
        stdio: ['ignore', log, log, 'ipc'],
      });
      this.#child.once('exit', () => setTimeout(start, 200));
    };
    start();
  }

  /** Ends the process as the system does when it runs out of memory. */
  kill(): void {
    this.kills += 1;
    this.#child?.kill('SIGKILL');
  }

  async retire(): Promise<void> {
    this.#retired = true;
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(15_000).then(() => child.kill('SIGKILL'))]);
  }
}
