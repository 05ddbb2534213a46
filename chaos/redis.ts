import { Refusal } from '../scripts/checkout/terminal.mjs';
import { type RedisServer, startRedisServer } from '../scripts/test/redis.mjs';

/** The platform needs longer than its first tries to connect again. */
const AWAY_MS = 1500;

/** A Redis that is killed and comes back empty a moment later. */
export class ChaosRedis {
  kills = 0;
  readonly #server: RedisServer;
  #timer: NodeJS.Timeout | undefined;
  #starting = Promise.resolve();

  private constructor(server: RedisServer) {
    this.#server = server;
  }

  /** @returns null, after saying why, if this machine has no Redis and none can be installed. */
  static async start(say: (text: string) => void): Promise<ChaosRedis | null> {
    try {
      return new ChaosRedis(await startRedisServer());
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(`the platform runs without Redis: ${error.message.trim()}`);
      return null;
    }
  }

  get url(): string {
    return this.#server.url;
  }

  /** Does nothing while it is still away. */
  async kill(): Promise<void> {
    await this.#starting;
    if (this.#timer !== undefined) return;
    this.kills += 1;
    await this.#server.kill();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#starting = this.#server.start();
    }, AWAY_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#starting;
    await this.#server.stop();
  }
}
