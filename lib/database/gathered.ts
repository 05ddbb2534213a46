import { isDatabaseUnavailable } from '../database.ts';

interface Options<Context, Row> {
  withinMs: number;
  write: (context: Context, rows: readonly Row[]) => Promise<void>;
}

interface Waiting<Row> {
  row: Row;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Rows that one process adds within a few milliseconds are written together, in one transaction instead of one for each. */
export class Gathered<Context extends object, Row> {
  readonly #options: Options<Context, Row>;
  readonly #waiting = new Map<Context, Waiting<Row>[]>();

  constructor(options: Options<Context, Row>) {
    this.#options = options;
  }

  /** @returns when the row was written. @throws if it cannot be written. */
  add(context: Context, row: Row): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(context);
      if (waiting !== undefined) return void waiting.push({ row, resolve, reject });
      this.#waiting.set(context, [{ row, resolve, reject }]);
      setTimeout(() => this.#writeAll(context), this.#options.withinMs);
    });
  }

  async #writeAll(context: Context): Promise<void> {
    const { write } = this.#options;
    const all = this.#waiting.get(context) ?? [];
    this.#waiting.delete(context);
    const rows = all.map(({ row }) => row);
    try {
      await write(context, rows);
      for (const { resolve } of all) resolve();
    } catch (error) {
      if (all.length === 1 || isDatabaseUnavailable(error)) {
        for (const { reject } of all) reject(error);
        return;
      }
      // One row may be the reason, and does not stop the others.
      for (const { row, resolve, reject } of all) await write(context, [row]).then(resolve, reject);
    }
  }
}
